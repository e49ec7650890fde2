/** The completion script for zsh: a function for `fpath`, which may also be read by `eval` after `compinit`. */
import type { Entry, Model } from './model.ts';
import { optionCases, posixTables, quoted } from './posix-tables.ts';
import { shell } from './shell-text.ts';

export function zshScript(model: Model): string {
  return `${HEAD}\n${posixTables(model)}\n${words(model)}\n${options(model)}\n${BODY}`;
}

/** `name:description`, as `_describe` wants it. */
function described({ name, help }: Entry): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${help.replaceAll('\\', '\\\\')}`);
}

function list(entries: readonly Entry[]): string {
  return entries.length === 0 ? '()' : `(\n${entries.map((entry) => `      ${described(entry)}\n`).join('')}    )`;
}

function words({ words }: Model): string {
  const arms = words.map(
    ({ place, names, aliases }) => `    ${quoted(place)}) names=${list(names)} aliases=${list(aliases)} ;;\n`,
  );
  return `# The words that may follow at the place $at.\n__svc_words() {\n  case "$at" in\n${arms.join('')}  esac\n}\n`;
}

function options({ options }: Model): string {
  const cases = optionCases(options, (entries) => `names+=${list(entries)}`);
  return `# The options that may be given at the place $at.\n__svc_options() {\n${cases}}\n`;
}

const HEAD = `#compdef svc
# zsh completion for svc, made from the declarations of its commands by: svc completion zsh
`;

/** Names of a service reach `compadd` as words of an array, which it quotes as the word at the cursor is quoted so far. */
const BODY = shell`# Offers what the kind of value stands for.
__svc_offer_values() {
  local line name note dash=''
  local -a values
  case $kind in
    any) _message value ;;
    choices | attached) _describe value choices ;;
    files) _files ;;
    *)
      [[ $PREFIX == -* ]] && dash=-
      for line in "\${(@f)$(command svc __complete "$kind" "$dash" -- "$before[@]" 2>/dev/null </dev/null)}"; do
        name=\${line%%$'\t'*} note=\${line#"$name"}
        [[ -n $name ]] && values+=("\${name//(#m)[\\:]/\\$MATCH}\${\${note//\\/\\\\}/$'\t'/:}")
      done
      _describe "$kind" values
      ;;
  esac
}

_svc() {
  local at='' after='' literal='' kind='' word
  local -i n=0 i
  local -a before choices names aliases
  before=("\${(@Q)words[2,CURRENT-1]}")

  for word in "$before[@]"; do
    if [[ -n $after ]]; then
      after=''
    elif [[ -n $literal ]]; then
      n+=1
    elif [[ $word == -- ]]; then
      literal=1
      __svc_command_line && n=0
    elif [[ $word == --* ]]; then
      __svc_value "$word" && [[ $kind != attached ]] && after=$word
    elif [[ $word == -?* ]]; then
      for ((i = 2; i <= $#word; i++)); do
        if __svc_value "-$word[i]"; then
          ((i == $#word)) && after=-$word[i]
          break
        fi
      done
    elif ((n > 0)) || ! __svc_enter "$word"; then
      n+=1
    fi
  done

  if [[ -n $after ]]; then
    __svc_value "$after" && __svc_offer_values
  elif [[ -n $literal ]] && __svc_command_line; then
    # What follows -- is a command line of its own.
    shift $((CURRENT - n - 1)) words
    CURRENT=$((n + 1))
    _normal
  elif [[ -z $literal && $PREFIX == --*=* ]]; then
    __svc_value "\${PREFIX%%=*}" && compset -P 1 '*=' && __svc_offer_values
  elif [[ -z $literal && $PREFIX == -* ]]; then
    __svc_options
    _describe -o option names
  else
    if ((n == 0)) && [[ -z $literal ]]; then
      __svc_words
      (($#names)) && { _describe command names || _describe command aliases }
    fi
    __svc_operand $n && __svc_offer_values
  fi
}

# Read from fpath, this file is the function's first call.
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;
