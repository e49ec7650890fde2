# bash completion for svc, for bash 3.2 and newer: svc completion bash
#
# svc __complete says what may follow. bash cuts words at = and : and leaves their quotes, so this file reads the line again. It
# appends only what is missing, quoted as the word is quoted so far, and never passes a name to eval or to compgen -W.

# Reads the line $1 up to the cursor. Sets words, and of the word at the cursor raw, cur (unquoted) and quote (the open one).
__svc_read() {
  local line=$1 char escaped='' i
  words=() raw='' cur='' quote='' redirected=''
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    if [[ $escaped ]]; then
      [[ $quote == '"' && '\"$`' != *"$char"* ]] && cur+=\\
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
  [[ $escaped ]] && raw=${raw%?} part=${part%?}
}

# Offers the word $1 if it begins with what was typed.
__svc_offer() {
  [[ $1 == "$cur"* ]] || return
  local rest=${1:${#cur}} text='' char i
  if [[ $quote == '"' && $rest == *'!'* ]]; then
    return # an exclamation mark cannot be quoted in double quotes
  fi
  for ((i = 0; i < ${#rest}; i++)); do
    char=${rest:i:1}
    case "${quote:-u}$char" in
      "''") char="'\\''" ;;
      '"'[\\'"$`']) char="\\$char" ;;
      "'"* | '"'* | u[[:alnum:]_./:@%+,=-]) ;;
      *) char="\\$char" ;;
    esac
    text+=$char
  done
  # readline closes an open quote itself, but not after a quote.
  COMPREPLY+=("$part$text$quote")
}

# Leaves files to readline, which quotes them. bash 3.2 has no compopt; there each file is offered after $1.
__svc_files() {
  local file
  compopt -o default 2>/dev/null && return
  while IFS= read -r file; do
    __svc_offer "$1$file"
  done < <(compgen -f -- "${cur:${#1}}")
}

# Completes the command line after --, of which $1 words are typed, by the rules of its own command if bash-completion is loaded.
__svc_command() {
  local i word
  if declare -F _command_offset >/dev/null; then
    for ((i = 1; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} == -- ]]; then
        _command_offset $((i + 1))
        return
      fi
    done
  elif (($1 == 0)); then
    while IFS= read -r word; do __svc_offer "$word"; done < <(compgen -c -- "$cur" | sort -u)
  else
    __svc_files ''
  fi
}

_svc() {
  local line part word raw cur quote redirected kind='' before=''
  local -a words
  COMPREPLY=()
  # Some test harnesses set the words alone.
  line=${COMP_LINE-} part=${2-${COMP_WORDS[COMP_CWORD]}}
  if [[ $line ]]; then
    line=${line:0:COMP_POINT}
  else
    printf -v line '%s ' "${COMP_WORDS[@]:0:COMP_CWORD+1}"
    line=${line% } line=${line// = /=}
  fi
  [[ $part == [=:] ]] && part=''
  __svc_read "$line"
  [[ $raw == *"$part" ]] || part=$raw
  if [[ $redirected ]]; then
    __svc_files ''
    return
  fi
  while IFS= read -r line; do
    if [[ ! $kind ]]; then
      kind=${line%%$'\t'*} before=${line#*$'\t'}
    else
      __svc_offer "$before${line%%$'\t'*}"
    fi
  done < <(command svc __complete "matching=$cur" "${words[@]:1}" 2>/dev/null </dev/null)
  case $kind in
    files) __svc_files "$before" ;;
    command) __svc_command "$before" ;;
  esac
  # A value follows what ends in =.
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

complete -F _svc svc
