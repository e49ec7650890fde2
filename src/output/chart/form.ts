/** What of a chart's value is printed. */
import type { OutputOptions } from '../types.ts';

/** `--query` is asked of what json prints; whoever names fields or takes lines wants the rows. */
export function chartForm({ format, query, fields }: OutputOptions): 'drawing' | 'value' | 'rows' {
  if (query !== undefined) return 'value';
  if (fields !== undefined) return 'rows';
  if (format === 'table' || format === 'wide') return 'drawing';
  return format === 'json' || format === 'yaml' ? 'value' : 'rows';
}
