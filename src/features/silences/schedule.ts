/** A recurring window as cron and systemd write it, and a command line as each of them quotes it. */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../output/escape.ts';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** When a window begins. Without any day it begins every day. */
export interface Recurrence {
  readonly hour: number;
  readonly minute: number;
  /** From 0 for Sunday. */
  readonly weekdays: readonly number[];
  readonly monthDays: readonly number[];
  /** `Europe/Berlin`; undefined for the zone of the machine. */
  readonly zone: string | undefined;
}

/** `02:00`, and `mon-fri`, `sat`, `1` or `15`. */
export function parseRecurrence(at: string, on: readonly string[], zone: string | undefined): Recurrence {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at) ?? [];
  if (minute === undefined) {
    throw new SvcError('invalid_value', `--at: "${at}" is not a time of day`, { hint: 'write it like 02:00' });
  }
  const weekdays = new Set<number>();
  const monthDays = new Set<number>();
  for (const text of on) {
    const [first = -1, last = first, ...more] = text.split('-').map((name) => WEEKDAYS.indexOf(name.toLowerCase()));
    const isMonthDay = /^(?:[1-9]|[12]\d|3[01])$/.test(text);
    if (isMonthDay) monthDays.add(Number(text));
    else if (first < 0 || last < 0 || more.length > 0) {
      throw new SvcError('invalid_value', `--on: "${text}" is not a day`, { hint: 'write it like mon-fri, sat or 15' });
    }
    for (let day = first; !isMonthDay; day = (day + 1) % 7) {
      weekdays.add(day);
      if (day === last) break;
    }
  }
  if (weekdays.size > 0 && monthDays.size > 0) {
    // cron would take either, systemd both.
    throw new SvcError('usage', '--on: weekdays and days of the month cannot be used together');
  }
  const sorted = (days: ReadonlySet<number>) => [...days].sort((a, b) => a - b);
  const every = weekdays.size === WEEKDAYS.length;
  return {
    hour: Number(hour),
    minute: Number(minute),
    weekdays: every ? [] : sorted(weekdays),
    monthDays: sorted(monthDays),
    zone,
  };
}

/** `0 2 * * 1,2,3,4,5` */
function cronTime({ hour, minute, weekdays, monthDays }: Recurrence): string {
  return `${minute} ${hour} ${monthDays.join() || '*'} * ${weekdays.join() || '*'}`;
}

/** `Mon,Tue *-*-* 02:00:00 Europe/Berlin` */
function calendarTime({ hour, minute, weekdays, monthDays, zone }: Recurrence): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const days = weekdays.map((day) => (WEEKDAYS[day] ?? '').replace(/^./, (letter) => letter.toUpperCase())).join();
  const date = `*-*-${monthDays.map(two).join() || '*'}`;
  return [days, date, `${two(hour)}:${two(minute)}:00`, zone].filter((part) => part).join(' ');
}

/** cron ends the command at a `%` without a backslash (crontab(5)). Success prints an id, which cron would mail. */
export function crontab(argv: readonly string[], when: Recurrence): readonly string[] {
  const command = argv.map(shellWord).join(' ').replaceAll('%', '\\%');
  const line = `${cronTime(when)} ${command} >/dev/null`;
  return when.zone === undefined ? [line] : [`CRON_TZ=${when.zone}`, line];
}

/** A shell script that installs a timer of the user. */
export function systemdTimer(name: string, argv: readonly string[], when: Recurrence): readonly string[] {
  const heredoc = (suffix: string, lines: readonly string[]) => [
    `cat > "$units/${name}.${suffix}" <<'EOF'`,
    ...lines,
    'EOF',
  ];
  return [
    `units="\${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"`,
    'mkdir -p "$units"',
    ...heredoc('service', [
      '[Unit]',
      `Description=Silence alerts (${name})`,
      '[Service]',
      'Type=oneshot',
      `ExecStart=${argv.map(unitWord).join(' ')}`,
    ]),
    ...heredoc('timer', [
      '[Unit]',
      `Description=Silence alerts (${name})`,
      '[Timer]',
      `OnCalendar=${calendarTime(when)}`,
      'AccuracySec=1s',
      '[Install]',
      'WantedBy=timers.target',
    ]),
    'systemctl --user daemon-reload',
    `systemctl --user enable --now ${name}.timer`,
  ];
}

/** One word of ExecStart (systemd.service(5), "Command lines"). */
function unitWord(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/[%$]/g, '$&$&');
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
