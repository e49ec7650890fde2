/** The completion script for bash 3.2 and newer, with or without the bash-completion package. */
import type { Entry, Model } from './model.ts';
import { optionCases, posixTables, quoted } from './posix-tables.ts';
import { shell } from './shell-text.ts';

export function bashScript(model: Model): string {
  return `${HEAD}\n${posixTables(model)}\n${words(model)}\n${options(model)}\n${BODY}`;
}

function words({ words }: Model): string {
  const arms = words.map(({ place, names, aliases }) => {
    const list = (entries: typeof names): string => entries.map(({ name }) => name).join(' ');
    return `    ${quoted(place)}) names=(${list(names)}) aliases=(${list(aliases)}) ;;\n`;
  });
  return `# The words that may follow at the place $at.
__svc_words() {
  case "$at" in
${arms.join('')}  esac
}
`;
}

function options({ options }: Model): string {
  const added = (entries: readonly Entry[]): string => `names+=(${entries.map(({ name }) => name).join(' ')})`;
  return `# The options that may be given at the place $at.\n__svc_options() {\n${optionCases(options, added)}}\n`;
}

const HEAD = `# bash completion for svc, made from the declarations of its commands by: svc completion bash
`;

/**
 * bash hands over words that are cut at \`=\` and \`:\` and not unquoted, so the line is read again here. What was typed stays as it was
 * typed, and only what is missing is appended, quoted as the word is quoted so far. Nothing is ever given to \`eval\` or to
 * \`compgen -W\`, which expands what it is given.
 */
const BODY = shell`# Reads the line $1 up to the cursor: sets words, and of the word at the cursor raw, cur (unquoted) and quote (the open one).
__svc_read() {
  local line=$1 char escaped='' i
  words=() raw='' cur='' quote='' redirected=''
  for ((i = 0; i < \${#line}; i++)); do
    char=\${line:i:1}
    if [[ $escaped ]]; then
      [[ $quote == '"' && '\"$\`' != *"$char"* ]] && cur+=\\
      cur+=$char escaped=''
    elif [[ $char == \\ && $quote != "'" ]]; then
      escaped=1
    elif [[ $quote ]]; then
      if [[ $char == "$quote" ]]; then quote=''; else cur+=$char; fi
    elif [[ $char == [\'\"] ]]; then
      quote=$char
    elif [[ $char == [[:space:]] || $char == [\<\>] ]]; then
      if [[ $raw && $redirected ]]; then
        redirected=''
      elif [[ $raw && ! ($char == [\<\>] && $raw =~ ^[0-9\&]+$) ]]; then
        words+=("$cur")
      fi
      [[ $char == [\<\>] ]] && redirected=1
      raw='' cur=''
      continue
    elif [[ $redirected && ! $raw && $char == [\&\|] ]]; then
      continue
    else
      cur+=$char
    fi
    raw+=$char
  done
  [[ $escaped ]] && raw=\${raw%?} part=\${part%?}
}

# Offers the word $1 where it begins with what was typed.
__svc_offer() {
  [[ $1 == "$cur"* ]] || return
  local rest=\${1:\${#cur}} text='' char i
  if [[ $quote == '"' && $rest == *'!'* ]]; then
    return # in double quotes an exclamation mark cannot be quoted
  fi
  for ((i = 0; i < \${#rest}; i++)); do
    char=\${rest:i:1}
    case "\${quote:-u}$char" in
      "''") char="'\\''" ;;
      '"'[\\'"$\`']) char="\\$char" ;;
      "'"* | '"'* | u[[:alnum:]_./:@%+,=-]) ;;
      *) char="\\$char" ;;
    esac
    text+=$char
  done
  # readline closes an open quote itself, but not after a quote.
  COMPREPLY+=("$part$text$quote")
}

# Offers what the kind of value stands for, each after $1.
__svc_offer_values() {
  local value
  case $kind in
    any) ;;
    choices | attached) for value in "\${choices[@]}"; do __svc_offer "$1$value"; done ;;
    files) __svc_files "$1" ;;
    *)
      while IFS= read -r value; do
        __svc_offer "$1\${value%%$'\t'*}"
      done < <(command svc __complete "$kind" "\${cur:\${#1}}" -- "\${words[@]}" 2>/dev/null </dev/null)
      ;;
  esac
}

# Leaves files to readline, which quotes them; bash 3.2 cannot be told to.
__svc_files() {
  local file
  compopt -o default 2>/dev/null && return
  while IFS= read -r file; do
    __svc_offer "$1$file"
  done < <(compgen -f -- "\${cur:\${#1}}")
}

# The command line after --, where bash-completion is loaded by the rules of its own command.
__svc_command() {
  local i
  if declare -F _command_offset >/dev/null; then
    for ((i = 1; i < COMP_CWORD; i++)); do
      if [[ \${COMP_WORDS[i]} == -- ]]; then
        _command_offset $((i + 1))
        return
      fi
    done
  elif ((n == 0)); then
    while IFS= read -r word; do __svc_offer "$word"; done < <(compgen -c -- "$cur" | sort -u)
  else
    __svc_files ''
  fi
}

_svc() {
  local at='' after='' literal='' kind='' redirected='' n=0 word raw cur quote part line i
  local -a words choices names aliases
  COMPREPLY=()
  # Some harnesses give the words alone.
  line=\${COMP_LINE-} part=\${2-\${COMP_WORDS[COMP_CWORD]}}
  if [[ $line ]]; then
    line=\${line:0:COMP_POINT}
  else
    printf -v line '%s ' "\${COMP_WORDS[@]:0:COMP_CWORD+1}"
    line=\${line% } line=\${line// = /=}
  fi
  [[ $part == [=:] ]] && part=''
  __svc_read "$line"
  [[ $raw == *"$part" ]] || part=$raw
  words=("\${words[@]:1}")

  for word in "\${words[@]}"; do
    if [[ $after ]]; then
      after=''
    elif [[ $literal ]]; then
      n=$((n + 1))
    elif [[ $word == -- ]]; then
      literal=1
      __svc_command_line && n=0
    elif [[ $word == --* ]]; then
      __svc_value "$word" && [[ $kind != attached ]] && after=$word
    elif [[ $word == -?* ]]; then
      for ((i = 1; i < \${#word}; i++)); do
        if __svc_value "-\${word:i:1}"; then
          ((i == \${#word} - 1)) && after=-\${word:i:1}
          break
        fi
      done
    elif ((n > 0)) || ! __svc_enter "$word"; then
      n=$((n + 1))
    fi
  done

  if [[ $redirected ]]; then
    __svc_files ''
  elif [[ $after ]]; then
    __svc_value "$after" && __svc_offer_values ''
  elif [[ $literal ]] && __svc_command_line; then
    __svc_command
  elif [[ ! $literal && $cur == --*=* ]]; then
    __svc_value "\${cur%%=*}" && __svc_offer_values "\${cur%%=*}="
  elif [[ ! $literal && $cur == -* ]]; then
    __svc_options
    for word in "\${names[@]}"; do __svc_offer "$word"; done
  else
    if ((n == 0)) && [[ ! $literal ]]; then
      __svc_words
      for word in "\${names[@]}"; do __svc_offer "$word"; done
      if ((\${#COMPREPLY[@]} == 0)); then
        for word in "\${aliases[@]}"; do __svc_offer "$word"; done
      fi
    fi
    if __svc_operand "$n"; then __svc_offer_values ''; fi
  fi
}

complete -F _svc svc
`;
