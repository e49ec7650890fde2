import { type RunContext, textCommand } from '../../../cli/command.ts';
import { TZ_FLAG } from '../../../cli/common-flags.ts';
import { splitList } from '../../../cli/flags.ts';
import { formatDuration, zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { formatMatcher, parseMatcherArguments } from '../../alerts/matcher.ts';
import { isWide } from '../../alerts/matching.ts';
import { crontab, parseRecurrence, systemdTimer } from '../schedule.ts';
import { ALL_ALERTS, ANNOTATION, AUTHOR, tooWide } from '../writer.ts';

/** What cron and systemd do not have when they run the command. */
const CREDENTIALS = ['SVC_ALERTS_TOKEN', 'SVC_ALERTS_USER', 'SVC_ALERTS_PASSWORD'];

export const silencesSchedule = textCommand({
  id: 'silences schedule',
  summary: 'Print a crontab or timer that silences a recurring window',
  description:
    'Prints what to install, and installs nothing: a line for crontab -e, with --format systemd a shell script that installs a timer, or only the command. At the start of each window, the command that it runs creates the silence, or extends an equal one (silences create --ensure).',
  details:
    'The command has the path of svc, the matchers, and --profile or --base-url where you chose the server by --profile, SVC_PROFILE or SVC_ALERTS_URL. Other environment variables are not passed on: credentials must come from the profile. A window that begins while the machine is off is left out. Not every cron reads CRON_TZ, which --tz needs and which applies to all lines below it; systemd reads zones everywhere. A timer of a user without a login needs loginctl enable-linger.',
  effect: 'read',
  args: { matcher: { help: 'Matchers, as for silences create', repeat: true, required: true, complete: 'matchers' } },
  flags: {
    at: { type: 'string', value: 'hh:mm', required: true, help: 'When each window begins' },
    for: { type: 'duration', short: 'd', positive: true, required: true, help: 'How long each window lasts' },
    on: { type: 'string', list: true, value: 'days', help: 'Days: mon-fri, or 1,15 (default every day)' },
    tz: { ...TZ_FLAG, help: 'Time zone of --at (default local)' },
    comment: { type: 'string', short: 'c', value: 'text', required: true, help: 'The reason' },
    ...AUTHOR,
    ...ANNOTATION,
    format: { type: 'choice', choices: ['crontab', 'systemd', 'command'], default: 'crontab', help: 'What to print' },
    name: { type: 'string', value: 'unit', help: 'Name of the timer (default from the comment)' },
    ...ALL_ALERTS,
  },
  examples: [
    { run: 'svc silences schedule team=db --at 02:00 --for 2h -c "nightly backup"', why: 'A line for crontab -e' },
    {
      run: 'svc silences schedule cluster=eu-1 --at 22:00 --on sat --for 4h --tz Europe/Berlin -c patching --format systemd | sh',
      why: 'Install a systemd timer',
    },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const matchers = parseMatcherArguments(input.matcher, ctx.notice);
    if (input.comment.trim() === '') throw new SvcError('invalid_value', '--comment: is empty');
    if (!input.allAlerts && (await isWide(matchers))) throw tooWide({ matchers });
    const zone = input.tz === undefined ? undefined : zoneOf(input.tz).name;
    const when = parseRecurrence(
      input.at,
      input.on === undefined ? [] : splitList(input.on),
      zone === zoneOf('local').name ? undefined : zone,
    );
    const command = [
      ...['silences', 'create', ...matchers.map(formatMatcher), '--for', formatDuration(input.for)],
      ...['--comment', input.comment],
      ...(input.author === undefined ? [] : ['--author', input.author]),
      ...Object.entries(input.annotation).flatMap(([name, text]) => ['--annotation', `${name}=${text}`]),
      ...(input.allAlerts ? ['--all-alerts'] : []),
      ...serverOf(ctx),
      ...['--ensure', '--yes', '--quiet'],
    ];
    if (command.some((text) => /\p{C}|\p{Zl}|\p{Zp}/u.test(text))) {
      throw new SvcError('invalid_value', 'a scheduled command cannot have line breaks or control characters');
    }
    const line = [...ctx.self, ...command];
    const { format } = input;
    const unit = input.name ?? unitName(input.comment);
    if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(unit)) {
      throw new SvcError('invalid_value', `--name: "${unit}" has characters other than letters, digits, _ . and -`);
    }
    for (const name of CREDENTIALS.filter((one) => ctx.env[one])) {
      ctx.notice(`warning: the scheduled command does not have ${name}; set the credential in the profile`);
    }
    if (format === 'crontab' && when.zone !== undefined) {
      ctx.notice('warning: cron of Debian and Ubuntu ignores CRON_TZ; use --format systemd there');
    }
    const lines = {
      crontab: () => crontab(line, when),
      systemd: () => systemdTimer(unit, line, when),
      command: () => [['svc', ...command].map(shellWord).join(' ')],
    };
    return { value: lines[format]().join('\n') };
  },
});

/** The options that lead the scheduled command to the server of this one. */
function serverOf({ serverOptions, settings }: RunContext): readonly string[] {
  const { profile } = settings;
  const address = settings.get('alerts.url');
  return [
    ...serverOptions,
    ...(profile.origin.kind === 'env' ? ['--profile', profile.name] : []),
    ...(address !== undefined && settings.origin('alerts.url').kind === 'env' ? ['--base-url', address] : []),
  ];
}

function unitName(comment: string): string {
  const names = comment.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return ['svc-silence', ...names].join('-').slice(0, 50);
}
