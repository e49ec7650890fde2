/** node scripts/picture.mjs: draws docs/terminal-light.svg and docs/terminal-dark.svg from the output of svc against a sandbox. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './setup.mjs';

const COLUMNS = 100;
const COMMANDS = [
  ['alerts', 'list', 'severity=critical', '--columns', 'severity,alertname,summary,since,id'],
  ['catalog', 'history', '--search', 'coffee', '--height', '8'],
];
const [CELL, LINE, MARGIN] = [8.4, 19, 16];
/** By SGR color: 30 to 37. */
const THEMES = {
  light: {
    paper: '#ffffff',
    edge: '#d0d7de',
    ink: '#1f2328',
    colors: ['#24292f', '#cf222e', '#116329', '#8a5a00', '#0550ae', '#8250df', '#1b7c83', '#57606a'],
  },
  dark: {
    paper: '#0d1117',
    edge: '#30363d',
    ink: '#e6edf3',
    colors: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  },
};

const home = mkdtempSync(join(tmpdir(), 'svc-picture-'));
const launcher = join(root, 'bin/svc.cjs');
const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
const sandbox = spawn(process.execPath, [launcher, 'sandbox', 'start'], { env });
let printed = '';
try {
  sandbox.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  while (!printed.includes('SVC_TRADE_TOKEN=')) await once(sandbox.stdout, 'data');
  const variables = Object.fromEntries(
    [...printed.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const lines = COMMANDS.flatMap((args) => [`$ svc ${args.join(' ')}`, ...output(args, variables), '']);
  for (const [name, theme] of Object.entries(THEMES)) {
    writeFileSync(join(root, `docs/terminal-${name}.svg`), picture(lines.slice(0, -1), theme));
  }
} finally {
  sandbox.kill('SIGINT');
  await once(sandbox, 'close');
  rmSync(home, { recursive: true });
}

function output(args, variables) {
  const options = { encoding: 'utf8', env: { ...env, ...variables, SVC_FORCE_TTY: String(COLUMNS), FORCE_COLOR: '1' } };
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], options);
  if (status !== 0) throw new Error(`svc ${args.join(' ')} exited with ${status}: ${stderr}`);
  return stdout.trimEnd().split('\n');
}

function picture(lines, theme) {
  const width = COLUMNS * CELL + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.map(
    (line, row) => `<text y="${(MARGIN + (row + 0.75) * LINE).toFixed(1)}">${spans(line, theme)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    '<title>svc in a terminal</title>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.paper}" stroke="${theme.edge}"/>`,
    `<g fill="${theme.ink}">`,
    ...texts,
    '</g>',
    '</svg>\n',
  ].join('\n');
}

/** Each text between colors or gaps gets its own position and width, because fonts have characters of different widths. */
function spans(line, theme) {
  let column = 0;
  let style = {};
  let drawn = '';
  for (const part of line.split(/(\x1b\[[\d;]*m| {2,})/)) {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) style = codes.split(';').map(Number).reduce(styled, style);
    else if (part.trim() === '') column += part.length;
    else {
      const at = `x="${(MARGIN + column * CELL).toFixed(1)}" textLength="${([...part].length * CELL).toFixed(1)}"`;
      drawn += `<tspan ${at}${attributes(style, theme)}>${part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</tspan>`;
      column += [...part].length;
    }
  }
  return drawn;
}

function styled(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, color: undefined };
  return code >= 30 && code <= 37 ? { ...style, color: code - 30 } : style;
}

function attributes({ bold, dim, color }, theme) {
  const fill = color === undefined ? '' : ` fill="${theme.colors[color]}"`;
  return `${fill}${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.65"' : ''}`;
}
