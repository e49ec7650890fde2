# fish completion for svc, for fish 3.1 and newer: svc completion fish
#
# svc __complete says what may follow. fish takes what is printed here as words, and quotes them where they are inserted.

function __svc_complete
  set -l words (commandline -opc)
  set -l token (commandline -ct)
  set -l answer (command svc __complete "all=$token" $words[2..-1] 2>/dev/null </dev/null)
  set -l first (string split -m 1 \t -- $answer[1])
  set -l before $first[2]
  switch "$first[1]"
    case command
      # Another program's command line follows --.
      set -l line
      set -l start (math (count $words) - $before + 1)
      test $before -gt 0; and set line (string escape -- $words[$start..-1])
      complete -C (string join ' ' -- $line "$token")
      return
    case files
      set -l typed (string sub -s (math (string length -- "$before") + 1) -- $token)
      string join \n -- $before(__fish_complete_path "$typed")
  end
  # fish would leave a tilde at the start unquoted, and read it as a home directory.
  string match -v -- '~*' $before$answer[2..-1]
end

complete -c svc -f -a '(__svc_complete)'
