/** What to search for in the code of a receiver that fails a probe, in the frameworks that most receivers use: by the names of the probes. */
const CODE: Readonly<Record<string, string>> = {
  // Requests that are correct are refused: forgery protection and the wrong path are the usual reasons.
  'valid-ping valid-summary':
    'Express app.use(csurf()); Flask CSRFProtect(app); Django a view without @csrf_exempt; Rails protect_from_forgery; Laravel validateCsrfTokens(except: [...]); Go http.HandleFunc with another path; Spring csrf() without ignoringRequestMatchers',
  'not-utf8 body-blanks body-trimming body-numbers body-escapes body-key-order body-duplicate-keys':
    'Express express.json(); Flask request.get_json(); Django json.loads and json.dumps; Rails params or to_json; Laravel $request->all(); Go json.NewDecoder(r.Body); Spring @RequestBody with a class',
  'minimal-event optional-fields truncated-transcript': `Express event.data.title.trim(); Flask data['title']; Django serializers.CharField(); Rails params.require; Laravel 'required' in validate(); Go validate:"required"; Spring @NotNull`,
  'summary-formats unknown-type unknown-fields':
    'Express the default of switch (event.type); Flask the last else of if event["type"]; Django ChoiceField(choices=...); Rails an enum of types; Laravel Rule::in([...]); Go DisallowUnknownFields(); Spring FAIL_ON_UNKNOWN_PROPERTIES',
  'time-formats':
    'Express new Date(created_at); Flask strptime(..., "%Y-%m-%dT%H:%M:%SZ"); Django parse_datetime; Rails Time.strptime; Laravel Carbon::createFromFormat; Go time.Parse with a layout other than time.RFC3339; Spring @JsonFormat(pattern = ...)',
  'same-event-twice':
    'Express an insert that throws on a known id; Flask an unhandled IntegrityError; Django create() instead of get_or_create(); Rails create! instead of create_or_find_by; Laravel create() instead of firstOrCreate(); Go INSERT without ON CONFLICT DO NOTHING; Spring an unhandled DataIntegrityViolationException',
  'body-1-mib large-body':
    "Express express.raw without limit: '8mb'; Flask MAX_CONTENT_LENGTH; Django DATA_UPLOAD_MAX_MEMORY_SIZE; Rails client_max_body_size of nginx; Laravel post_max_size in php.ini; Go http.MaxBytesReader; Spring spring.codec.max-in-memory-size",
  'bad-signature signature-upper-case signature-empty signature-short signature-prefix signature-input signature-truncated signature-long signature-base64':
    'Express timingSafeEqual without a check of both lengths; Flask startswith or == instead of hmac.compare_digest; Django == instead of constant_time_compare; Rails == instead of secure_compare; Laravel === or strncmp instead of hash_equals; Go bytes.HasPrefix instead of hmac.Equal; Spring String.startsWith instead of MessageDigest.isEqual',
  'missing-signature missing-timestamp type-mismatch': `Express request.get('x-service-signature').split; Flask request.headers['X-Service-Signature']; Django request.META['HTTP_X_SERVICE_SIGNATURE']; Rails request.headers['X-Service-Signature'].delete_prefix; Laravel $request->header(...) without a default; Go r.Header["X-Service-Signature"][0]; Spring @RequestHeader(required = false)`,
  'shifted-dot':
    'Express Number(timestamp) or parseInt; Flask float(timestamp); Django float(timestamp); Rails timestamp.to_i; Laravel (int) $timestamp; Go fmt.Sscanf; Spring Double.parseDouble',
  'stale-timestamp future-timestamp':
    'Express Date.now() - timestamp without Math.abs; Flask time.time() - timestamp without abs; Django time.time() - timestamp without abs; Rails Time.now - timestamp without abs; Laravel time() - $timestamp without abs; Go time.Since(...) without Abs; Spring Duration.between(...) without abs',
  'malformed-json':
    'Express app.use(express.json()) before the route; Flask get_json in before_request; Django a parser in MIDDLEWARE; Rails params in a before_action; Laravel a FormRequest as the parameter; Go a decoder in a middleware; Spring @Valid @RequestBody',
  'no-redirect':
    "Express a redirect to https in a middleware; Flask a route that ends in '/'; Django APPEND_SLASH or SECURE_SSL_REDIRECT; Rails config.force_ssl; Laravel a redirect to the login of auth middleware; Go a pattern of ServeMux that ends in '/'; Spring requiresSecure()",
};

/** On one line. Only for names of probes. */
export function codeToCheck(probe: string): string {
  const [, code] = Object.entries(CODE).find(([probes]) => probes.split(' ').includes(probe)) ?? [];
  if (code === undefined) throw new Error(`no code is known for the probe ${probe}`);
  return code;
}
