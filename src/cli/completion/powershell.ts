/** The completion script for PowerShell 5.1 and newer. */
import type { Entry, Model, Values } from './model.ts';
import { shell } from './shell-text.ts';

export function powershellScript(model: Model): string {
  return [HEAD, ...tables(model), entries(model), options(model), BODY].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function array(texts: readonly string[]): string {
  return `@(${texts.map(quoted).join(', ')})`;
}

/** A function that returns what the pattern that fits says, and nothing where none does. */
function lookup(name: string, comment: string, arms: readonly (readonly [pattern: string, value: string])[]): string {
  const lines = arms.map(([pattern, value]) => `    ${quoted(pattern)} { return ${value} }\n`);
  return `# ${comment}
function ${name}([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
${lines.join('')}  }
}
`;
}

function tables({ steps, values, operands, commandLines }: Model): string[] {
  return [
    lookup(
      '__SvcEnter',
      'Where "<place> <word>" leads.',
      steps.map(({ from, word, to }) => [`${from} ${word}`, quoted(to)]),
    ),
    lookup(
      '__SvcValue',
      'What "<place> <option>" takes: its kind, and the choices where there are some.',
      values.flatMap(({ place = '*', names, values }) =>
        names.map((name) => [`${place} ${name}`, array([values.kind, ...choices(values)])] as const),
      ),
    ),
    lookup(
      '__SvcOperand',
      'The kind of the operand "<place> <index>", and the choices where there are some.',
      operands.map(({ place, index, values }) => [
        `${place} ${index ?? '*'}`,
        array([values.kind, ...choices(values)]),
      ]),
    ),
    lookup(
      '__SvcCommandLine',
      'Whether a command line of its own stands after -- at "<place>".',
      commandLines.map((place) => [place, '$true']),
    ),
  ];
}

function choices(values: Values): readonly string[] {
  return 'choices' in values ? values.choices : [];
}

/** A text for each: the word, a blank, what it means. */
function texts(entries: readonly Entry[]): string {
  return entries.map(({ name, help }) => `      ${quoted(`${name} ${help}`)}\n`).join('');
}

function entries({ words }: Model): string {
  const arms = (which: (one: (typeof words)[number]) => readonly Entry[]) =>
    words.filter((one) => which(one).length > 0).map((one) => [one.place, `@(\n${texts(which(one))}    )`] as const);
  return [
    lookup(
      '__SvcWords',
      'The words that may follow at "<place>".',
      arms(({ names }) => names),
    ),
    lookup(
      '__SvcAliases',
      'Other names of them.',
      arms(({ aliases }) => aliases),
    ),
  ].join('\n');
}

function options({ options }: Model): string {
  const blocks = options.map(({ places, options }) =>
    places === undefined
      ? `  @(\n${texts(options)}  )\n`
      : `  if (${array(places)} -ccontains $Place) {\n    @(\n${texts(options)}    )\n  }\n`,
  );
  return `# The options that may be given at the place.\nfunction __SvcOptions([string]$Place) {\n${blocks.join('')}}\n`;
}

const HEAD = `# PowerShell completion for svc, made from the declarations of its commands by: svc completion powershell
`;

/**
 * What PowerShell would read as more than a word is put into single quotes, so that a service's names are words and nothing else.
 * Where nothing is offered, PowerShell offers files.
 */
const BODY = shell`Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param([string]$WordToComplete, $CommandAst, [int]$CursorPosition)

  $typed = $WordToComplete.TrimStart([char[]]@("'", '"'))
  $words = @(
    foreach ($element in ($CommandAst.CommandElements | Select-Object -Skip 1)) {
      if ($element.Extent.EndOffset -ge $CursorPosition) { continue }
      if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value }
      else { $element.Extent.Text }
    }
  )

  $place = ''
  $after = ''
  $literal = $false
  $n = 0
  foreach ($word in $words) {
    if ($after) { $after = '' }
    elseif ($literal) { $n++ }
    elseif ($word -ceq '--') { $literal = $true }
    elseif ($word.StartsWith('--')) {
      $value = @(__SvcValue "$place $word")
      if ($value.Count -gt 0 -and $value[0] -cne 'attached') { $after = $word }
    }
    elseif ($word -match '^-.') {
      for ($i = 1; $i -lt $word.Length; $i++) {
        if (@(__SvcValue "$place -$($word[$i])").Count -eq 0) { continue }
        if ($i -eq $word.Length - 1) { $after = "-$($word[$i])" }
        break
      }
    }
    else {
      $to = if ($n -eq 0) { __SvcEnter "$place $word" }
      if ($to) { $place = $to } else { $n++ }
    }
  }

  $offered = @()
  $before = ''
  $value = @()
  if ($after) { $value = @(__SvcValue "$place $after") }
  elseif ($literal -and (__SvcCommandLine $place)) { return }
  elseif (-not $literal -and $typed -match '^(--[^=]*)=') {
    $before = "$($Matches[1])="
    $value = @(__SvcValue "$place $($Matches[1])")
  }
  elseif (-not $literal -and $typed.StartsWith('-')) { $offered = @(__SvcOptions $place) }
  else {
    if ($n -eq 0 -and -not $literal) {
      $offered = @(__SvcWords $place)
      if (@($offered | Where-Object { $_.StartsWith($typed, [StringComparison]::Ordinal) }).Count -eq 0) {
        $offered = @(__SvcAliases $place)
      }
    }
    $value = @(__SvcOperand "$place $n")
  }

  $pairs = @($offered | ForEach-Object { , ($_ -split ' ', 2) })
  if ($value.Count -gt 0 -and @('any', 'files') -cnotcontains $value[0]) {
    if (@('choices', 'attached') -ccontains $value[0]) {
      $pairs += @($value | Select-Object -Skip 1 | ForEach-Object { , @("$before$_", '') })
    }
    elseif ($svc = Get-Command svc -CommandType Application, ExternalScript -ErrorAction SilentlyContinue | Select-Object -First 1) {
      # An empty argument does not reach a program from every PowerShell, so that none is given.
      $asked = @('__complete', $value[0])
      if ($typed.Length -gt $before.Length) { $asked += $typed.Substring($before.Length) }
      $asked += @('--') + $words
      $pairs += @(& $svc @asked 2>$null | ForEach-Object {
        $candidate = @($_ -split "\`t", 2)
        , @("$before$($candidate[0])", "$($candidate[1])")
      })
    }
  }

  foreach ($pair in $pairs) {
    $text = $pair[0]
    if (-not $text.StartsWith($typed, [StringComparison]::Ordinal)) { continue }
    $inserted = if ($text -cmatch '^[A-Za-z0-9_./:+=-]+$') { $text }
    else { "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($text) + "'" }
    $note = if ($pair.Count -gt 1 -and $pair[1]) { $pair[1] } else { $text }
    [System.Management.Automation.CompletionResult]::new($inserted, $text, 'ParameterValue', $note)
  }
}
`;
