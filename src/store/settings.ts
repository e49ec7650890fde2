/** The settings: which exist, what each means, and where a value came from. */
export interface Setting {
  readonly key: string;
  readonly env: string;
}
export interface Settings {
  get(key: string): string | undefined;
}
