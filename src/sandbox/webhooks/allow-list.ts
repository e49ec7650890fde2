/** The one https address that the sandbox sends browsers back to (doc 2 §5). */
export const ALLOW_LISTED = 'https://app.example.com/callback';
