/** The looks of an SVG chart, on light and on dark pages. */

/** Okabe and Ito's colours, which nearly everybody can tell apart; those for dark pages are lighter. */
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#b0568a', '#7a6a00', '#3b3b98'];
const DARK = ['#56b4e9', '#ff9b54', '#2fc69a', '#e3a1c8', '#f0e442', '#a5a5ff'];
/** Another number of these than of colours, so that the pair of both is seldom the same. */
const DASHES = ['', '8 4', '2 3', '12 4 2 4', '5 3'];

export function dashOf(series: number): string {
  const dash = DASHES[series % DASHES.length] ?? '';
  return dash === '' ? '' : ` stroke-dasharray="${dash}"`;
}

export function classOf(series: number): string {
  return `svc-${series % LIGHT.length}`;
}

export function styleSheet(): string {
  const rules = (colors: readonly string[], [page, ink, pale, grid]: readonly string[]): string =>
    [
      `.svc-page{fill:${page}}.svc-ink{fill:${ink}}.svc-pale{fill:${pale}}.svc-grid{stroke:${grid}}.svc-note{stroke:${page}}`,
      ...colors.map((color, index) => `.svc-${index}{stroke:${color};fill:${color}}`),
    ].join('');
  const light = rules(LIGHT, ['#ffffff', '#1b1f24', '#57606a', '#d8dee4']);
  const dark = rules(DARK, ['#0d1117', '#e6edf3', '#9da7b3', '#30363d']);
  // The page shines around a note, where a line runs through it.
  const shapes =
    '.svc-line{fill:none;stroke-width:1.75;stroke-linejoin:round}.svc-note{paint-order:stroke;stroke-width:3;stroke-linejoin:round}';
  return `<style>${light}@media (prefers-color-scheme:dark){${dark}}${shapes}</style>`;
}
