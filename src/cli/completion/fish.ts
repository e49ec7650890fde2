/** The completion script for fish 3.1 and newer. */
import type { Entry, Model, Values } from './model.ts';
import { shell } from './shell-text.ts';

export function fishScript(model: Model): string {
  return [HEAD, ...tables(model), words(model), options(model), BODY].join('\n');
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function arm(patterns: readonly string[], body: string): string {
  return `    case ${patterns.map(quoted).join(' ')}\n      ${body}\n`;
}

/** A function that prints what the arm that fits says, and fails where none does. */
function lookup(name: string, parameters: string, comment: string, arms: readonly string[]): string {
  const subject = parameters.replace(/\w+/g, '$$$&');
  return `# ${comment}
function ${name} -a ${parameters}
  switch "${subject}"
${arms.join('')}    case '*'
      return 1
  end
end
`;
}

function tables({ steps, values, operands, commandLines }: Model): string[] {
  const places = [...new Set(steps.map(({ to }) => to))];
  return [
    lookup(
      '__svc_enter',
      'place word',
      'Where the word leads from the place.',
      places.map((place) =>
        arm(
          steps.filter(({ to }) => to === place).map(({ from, word }) => `${from} ${word}`),
          `echo ${quoted(place)}`,
        ),
      ),
    ),
    lookup(
      '__svc_value',
      'place option',
      'What the option takes: its kind, and the choices where there are some.',
      values.map(({ place = '*', names, values }) =>
        arm(
          names.map((name) => `${place} ${name}`),
          printedValues(values),
        ),
      ),
    ),
    lookup(
      '__svc_operand',
      'place index',
      'The kind of the operand at the place, and the choices where there are some.',
      operands.map(({ place, index, values }) => arm([`${place} ${index ?? '*'}`], printedValues(values))),
    ),
    lookup(
      '__svc_command_line',
      'place',
      'Whether a command line of its own stands after -- at the place.',
      commandLines.length === 0 ? [] : [arm(commandLines, 'return 0')],
    ),
  ];
}

function printedValues(values: Values): string {
  return `printf '%s\\n' ${[values.kind, ...choices(values)].map(quoted).join(' ')}`;
}

function choices(values: Values): readonly string[] {
  return 'choices' in values ? values.choices : [];
}

/** A line for each: the word, a tab, what it means. */
function printed(entries: readonly Entry[]): string {
  return `printf '%s\\t%s\\n' ${entries.flatMap(({ name, help }) => [quoted(name), quoted(help)]).join(' ')}`;
}

function words({ words }: Model): string {
  const arms = (which: (one: (typeof words)[number]) => readonly Entry[]): string[] =>
    words.filter((one) => which(one).length > 0).map((one) => arm([one.place], printed(which(one))));
  return [
    lookup(
      '__svc_words',
      'place',
      'The words that may follow at the place.',
      arms((one) => one.names),
    ),
    lookup(
      '__svc_aliases',
      'place',
      'Other names of them.',
      arms((one) => one.aliases),
    ),
  ].join('\n');
}

function options({ options }: Model): string {
  const blocks = options.map(({ places, options }) =>
    places === undefined ? `  ${printed(options)}\n` : `  switch "$place"\n${arm(places, printed(options))}  end\n`,
  );
  return `# The options that may be given at the place.\nfunction __svc_options -a place\n${blocks.join('')}end\n`;
}

const HEAD = `# fish completion for svc, made from the declarations of its commands by: svc completion fish
`;

/** fish takes what is printed here as words, and quotes them where they are inserted. */
const BODY = shell`# Prints the values of the kind $argv[2], each after $argv[1]; what follows are the choices.
function __svc_offer_values -a before kind
  set -l token (commandline -ct)
  switch $kind
    case any
    case choices attached
      test (count $argv) -gt 2; and string join \n -- $before$argv[3..-1]
    case files
      set -l typed (string sub -s (math (string length -- "$before") + 1) -- $token)
      string join \n -- $before(__fish_complete_path "$typed")
    case '*'
      set -l words (commandline -opc)
      set -l dash (string match -r -- '^-' (string sub -s (math (string length -- "$before") + 1) -- $token))
      set -l values (command svc __complete $kind "$dash" -- $words[2..-1] 2>/dev/null </dev/null)
      # fish would leave a tilde in front unquoted, and read it as somebody's home.
      string match -v -- '~*' $before$values
  end
end

function __svc_complete
  set -l at ''
  set -l after ''
  set -l literal
  set -l n 0
  set -l words (commandline -opc)
  set -l token (commandline -ct)

  for word in $words[2..-1]
    if test -n "$after"
      set after ''
    else if set -q literal[1]
      set n (math $n + 1)
    else if test "$word" = --
      set literal 1
      __svc_command_line $at; and set n 0
    else if string match -q -- '--*' $word
      set -l value (__svc_value $at $word); and test $value[1] != attached; and set after $word
    else if string match -qr -- '^-.' $word
      set -l letters (string split '' -- (string sub -s 2 -- $word))
      for i in (seq (count $letters))
        if __svc_value $at -$letters[$i] >/dev/null
          test $i -eq (count $letters); and set after -$letters[$i]
          break
        end
      end
    else if test $n -gt 0
      set n (math $n + 1)
    else if set -l place (__svc_enter $at $word)
      set at $place
    else
      set n 1
    end
  end

  if test -n "$after"
    __svc_offer_values '' (__svc_value $at $after)
  else if set -q literal[1]; and __svc_command_line $at
    # What follows -- is a command line of its own.
    set -l line
    set -l first (math (count $words) - $n + 1)
    test $n -gt 0; and set line (string escape -- $words[$first..-1])
    complete -C (string join ' ' -- $line "$token")
  else if not set -q literal[1]; and string match -qr -- '^--.*=' $token
    set -l option (string replace -r -- '=.*' '' $token)
    set -l value (__svc_value $at $option); and __svc_offer_values "$option=" $value
  else if not set -q literal[1]; and string match -q -- '-*' $token
    __svc_options $at
  else
    if test $n -eq 0; and not set -q literal[1]
      set -l names (__svc_words $at)
      string join \n -- $names
      string match -q -- "$token*" $names; or __svc_aliases $at
    end
    set -l kind (__svc_operand $at $n); and __svc_offer_values '' $kind
  end
end

complete -c svc -f -a '(__svc_complete)'
`;
