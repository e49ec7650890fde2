# fish completion for svc, made from the declarations of its commands by: svc completion fish

# Where the word leads from the place.
function __svc_enter -a place word
  switch "$place $word"
    case ' alerts' 'help alerts'
      echo 'alerts'
    case ' silences' 'help silences'
      echo 'silences'
    case ' config' 'help config'
      echo 'config'
    case ' sandbox' 'help sandbox'
      echo 'sandbox'
    case ' completion' 'help completion'
      echo 'completion'
    case 'alerts list' 'alerts ls' 'alerts query'
      echo 'alerts list'
    case 'alerts get' 'alerts show'
      echo 'alerts get'
    case 'alerts groups'
      echo 'alerts groups'
    case 'alerts check'
      echo 'alerts check'
    case 'alerts create' 'alerts add'
      echo 'alerts create'
    case 'alerts resolve'
      echo 'alerts resolve'
    case 'alerts receivers'
      echo 'alerts receivers'
    case 'alerts status'
      echo 'alerts status'
    case 'silences list' 'silences ls' 'silences query'
      echo 'silences list'
    case 'silences get' 'silences show'
      echo 'silences get'
    case 'silences create' 'silences add'
      echo 'silences create'
    case 'silences ack'
      echo 'silences ack'
    case 'silences run'
      echo 'silences run'
    case 'silences update'
      echo 'silences update'
    case 'silences extend'
      echo 'silences extend'
    case 'silences keepalive'
      echo 'silences keepalive'
    case 'silences recreate'
      echo 'silences recreate'
    case 'silences expire' 'silences delete' 'silences rm'
      echo 'silences expire'
    case 'silences export'
      echo 'silences export'
    case 'silences import'
      echo 'silences import'
    case 'config list'
      echo 'config list'
    case 'config get'
      echo 'config get'
    case 'config set'
      echo 'config set'
    case 'config unset' 'config rm'
      echo 'config unset'
    case 'config path'
      echo 'config path'
    case 'config edit'
      echo 'config edit'
    case 'config profiles'
      echo 'config profiles'
    case 'config use'
      echo 'config use'
    case 'sandbox start'
      echo 'sandbox start'
    case 'sandbox run'
      echo 'sandbox run'
    case 'completion bash'
      echo 'completion bash'
    case 'completion zsh'
      echo 'completion zsh'
    case 'completion fish'
      echo 'completion fish'
    case 'completion powershell'
      echo 'completion powershell'
    case ' help'
      echo 'help'
    case '*'
      return 1
  end
end

# What the option takes: its kind, and the choices where there are some.
function __svc_value -a place option
  switch "$place $option"
    case 'alerts list --state'
      printf '%s\n' 'choices' 'active' 'silenced' 'inhibited' 'suppressed' 'unprocessed'
    case 'alerts list --receiver' 'alerts list -r'
      printf '%s\n' 'receivers'
    case 'alerts list --older-than'
      printf '%s\n' 'any'
    case 'alerts list --newer-than'
      printf '%s\n' 'any'
    case 'alerts list --limit'
      printf '%s\n' 'any'
    case 'alerts list --group-by'
      printf '%s\n' 'any'
    case 'alerts list --count-by'
      printf '%s\n' 'any'
    case 'alerts list --watch'
      printf '%s\n' 'attached'
    case 'alerts groups --state'
      printf '%s\n' 'choices' 'active' 'silenced' 'inhibited' 'suppressed'
    case 'alerts groups --receiver' 'alerts groups -r'
      printf '%s\n' 'receivers'
    case 'alerts groups --limit'
      printf '%s\n' 'any'
    case 'alerts check --min'
      printf '%s\n' 'any'
    case 'alerts check --max'
      printf '%s\n' 'any'
    case 'alerts check --state'
      printf '%s\n' 'choices' 'active' 'silenced' 'inhibited' 'suppressed'
    case 'alerts check --receiver' 'alerts check -r'
      printf '%s\n' 'receivers'
    case 'alerts check --older-than'
      printf '%s\n' 'any'
    case 'alerts check --wait'
      printf '%s\n' 'any'
    case 'alerts check --stable'
      printf '%s\n' 'any'
    case 'alerts check --interval'
      printf '%s\n' 'any'
    case 'alerts create --annotation'
      printf '%s\n' 'any'
    case 'alerts create --generator-url'
      printf '%s\n' 'any'
    case 'alerts create --start'
      printf '%s\n' 'any'
    case 'alerts create --end'
      printf '%s\n' 'any'
    case 'alerts create --for' 'alerts create -d'
      printf '%s\n' 'any'
    case 'alerts create --file' 'alerts create -f'
      printf '%s\n' 'files'
    case 'alerts status --wait-ready'
      printf '%s\n' 'any'
    case 'silences list --state'
      printf '%s\n' 'choices' 'active' 'pending' 'expired'
    case 'silences list --within'
      printf '%s\n' 'any'
    case 'silences list --created-by'
      printf '%s\n' 'any'
    case 'silences list --comment'
      printf '%s\n' 'any'
    case 'silences list --for-alert'
      printf '%s\n' 'fingerprints'
    case 'silences list --matching'
      printf '%s\n' 'any'
    case 'silences list --limit'
      printf '%s\n' 'any'
    case 'silences create --for' 'silences create -d'
      printf '%s\n' 'any'
    case 'silences create --until'
      printf '%s\n' 'any'
    case 'silences create --from'
      printf '%s\n' 'any'
    case 'silences create --comment' 'silences create -c'
      printf '%s\n' 'any'
    case 'silences create --author'
      printf '%s\n' 'any'
    case 'silences create --from-alert'
      printf '%s\n' 'fingerprints'
    case 'silences create --drop'
      printf '%s\n' 'any'
    case 'silences create --max-alerts'
      printf '%s\n' 'any'
    case 'silences create --file' 'silences create -f'
      printf '%s\n' 'files'
    case 'silences ack --for' 'silences ack -d'
      printf '%s\n' 'any'
    case 'silences ack --comment' 'silences ack -c'
      printf '%s\n' 'any'
    case 'silences ack --author'
      printf '%s\n' 'any'
    case 'silences ack --drop'
      printf '%s\n' 'any'
    case 'silences run --comment' 'silences run -c'
      printf '%s\n' 'any'
    case 'silences run --author'
      printf '%s\n' 'any'
    case 'silences run --ttl'
      printf '%s\n' 'any'
    case 'silences run --grace'
      printf '%s\n' 'any'
    case 'silences update --for' 'silences update -d'
      printf '%s\n' 'any'
    case 'silences update --until'
      printf '%s\n' 'any'
    case 'silences update --extend'
      printf '%s\n' 'any'
    case 'silences update --from'
      printf '%s\n' 'any'
    case 'silences update --comment' 'silences update -c'
      printf '%s\n' 'any'
    case 'silences update --author'
      printf '%s\n' 'any'
    case 'silences update --matcher' 'silences update -m'
      printf '%s\n' 'any'
    case 'silences extend --by'
      printf '%s\n' 'any'
    case 'silences extend --max'
      printf '%s\n' 'any'
    case 'silences keepalive --prefix'
      printf '%s\n' 'any'
    case 'silences keepalive --if-within'
      printf '%s\n' 'any'
    case 'silences keepalive --by'
      printf '%s\n' 'any'
    case 'silences keepalive --max'
      printf '%s\n' 'any'
    case 'silences recreate --for' 'silences recreate -d'
      printf '%s\n' 'any'
    case 'silences expire --created-by'
      printf '%s\n' 'any'
    case 'silences expire --comment'
      printf '%s\n' 'any'
    case 'silences expire --for-alert'
      printf '%s\n' 'fingerprints'
    case 'silences expire --matching'
      printf '%s\n' 'any'
    case 'silences expire --concurrency'
      printf '%s\n' 'any'
    case 'silences export --state'
      printf '%s\n' 'choices' 'active' 'pending' 'expired'
    case 'silences export --within'
      printf '%s\n' 'any'
    case 'silences export --created-by'
      printf '%s\n' 'any'
    case 'silences export --comment'
      printf '%s\n' 'any'
    case 'silences export --for-alert'
      printf '%s\n' 'fingerprints'
    case 'silences export --matching'
      printf '%s\n' 'any'
    case 'silences import --on-conflict'
      printf '%s\n' 'choices' 'skip' 'extend' 'duplicate'
    case 'silences import --concurrency'
      printf '%s\n' 'any'
    case 'sandbox start --port'
      printf '%s\n' 'any'
    case '* --dry-run'
      printf '%s\n' 'attached' 'curl'
    case '* --base-url'
      printf '%s\n' 'any'
    case '* --timeout'
      printf '%s\n' 'any'
    case '* --header'
      printf '%s\n' 'any'
    case '* --header-file'
      printf '%s\n' 'files'
    case '* --cacert'
      printf '%s\n' 'files'
    case '* --cert'
      printf '%s\n' 'files'
    case '* --key'
      printf '%s\n' 'files'
    case '* --output' '* -o'
      printf '%s\n' 'choices' 'table' 'wide' 'json' 'ndjson' 'csv' 'tsv' 'yaml' 'id'
    case '* --fields'
      printf '%s\n' 'any'
    case '* --query'
      printf '%s\n' 'any'
    case '* --columns'
      printf '%s\n' 'any'
    case '* --sort'
      printf '%s\n' 'any'
    case '* --time'
      printf '%s\n' 'choices' 'relative' 'utc' 'local' 'iso'
    case '* --color'
      printf '%s\n' 'choices' 'auto' 'always' 'never'
    case '* --profile'
      printf '%s\n' 'profiles'
    case '*'
      return 1
  end
end

# The kind of the operand at the place.
function __svc_operand -a place index
  switch "$place $index"
    case 'alerts get 0'
      echo fingerprints
    case 'alerts resolve *'
      echo fingerprints
    case 'silences get 0'
      echo silences
    case 'silences ack *'
      echo fingerprints
    case 'silences update 0'
      echo silences
    case 'silences extend *'
      echo silences
    case 'silences recreate *'
      echo silences
    case 'silences expire *'
      echo silences
    case 'silences import 0'
      echo files
    case 'config get 0'
      echo settings
    case 'config set 0'
      echo settings
    case 'config unset 0'
      echo settings
    case 'config use 0'
      echo profiles
    case '*'
      return 1
  end
end

# Whether a command line of its own stands after -- at the place.
function __svc_command_line -a place
  switch "$place"
    case 'silences run'
      return 0
    case '*'
      return 1
  end
end

# The words that may follow at the place.
function __svc_words -a place
  switch "$place"
    case ''
      printf '%s\t%s\n' 'alerts' 'See what fires, and send alerts' 'silences' 'Mute alerts safely, and end it' 'config' 'Settings and profiles' 'sandbox' 'The services on this machine, to try svc on' 'completion' 'Complete svc with <Tab> in your shell' 'help' 'Help on a command or a topic'
    case 'help'
      printf '%s\t%s\n' 'alerts' 'See what fires, and send alerts' 'silences' 'Mute alerts safely, and end it' 'config' 'Settings and profiles' 'sandbox' 'The services on this machine, to try svc on' 'completion' 'Complete svc with <Tab> in your shell' 'exit-codes' 'Topic' 'environment' 'Topic'
    case 'alerts'
      printf '%s\t%s\n' 'list' 'List alerts, active ones unless told otherwise' 'get' 'Show one alert, who silences it and which alerts inhibit it' 'groups' 'List alerts as the server groups them for its receivers' 'check' 'Test how many alerts there are: 0 if as many as there may be, 1 if not' 'create' 'Send an alert, or a file of them' 'resolve' 'End alerts now' 'receivers' 'List the receivers, which are the names of notification integrations' 'status' 'Show the version, uptime and cluster of the alert manager'
    case 'silences'
      printf '%s\t%s\n' 'list' 'List silences, active and pending ones unless told otherwise' 'get' 'Show one silence' 'create' 'Mute the alerts that match, for a time' 'ack' 'Acknowledge alerts: mute them for a short time' 'run' 'Silence alerts while a command runs' 'update' 'Change a silence' 'extend' 'Let silences end later' 'keepalive' 'Extend acknowledgements while their alerts fire, once; for cron' 'recreate' 'Make expired silences again' 'expire' 'End silences now' 'export' 'Write silences out, for import here or elsewhere' 'import' 'Bring silences from a file to the server'
    case 'config'
      printf '%s\t%s\n' 'list' 'List the settings and their values' 'get' 'Print the value of one setting' 'set' 'Set a setting in the profile' 'unset' 'Remove a setting from the profile' 'path' 'Print the path of the settings file' 'edit' 'Edit the settings file' 'profiles' 'List the profiles' 'use' 'Choose the profile to use from now on'
    case 'sandbox'
      printf '%s\t%s\n' 'start' 'Start the services on this machine and print the environment to use' 'run' 'Run one command against the services on this machine'
    case 'completion'
      printf '%s\t%s\n' 'bash' 'Print the script that completes svc in bash' 'zsh' 'Print the script that completes svc in zsh' 'fish' 'Print the script that completes svc in fish' 'powershell' 'Print the script that completes svc in PowerShell'
    case '*'
      return 1
  end
end

# Other names of them.
function __svc_aliases -a place
  switch "$place"
    case 'alerts'
      printf '%s\t%s\n' 'ls' 'List alerts, active ones unless told otherwise' 'query' 'List alerts, active ones unless told otherwise' 'show' 'Show one alert, who silences it and which alerts inhibit it' 'add' 'Send an alert, or a file of them'
    case 'silences'
      printf '%s\t%s\n' 'ls' 'List silences, active and pending ones unless told otherwise' 'query' 'List silences, active and pending ones unless told otherwise' 'show' 'Show one silence' 'add' 'Mute the alerts that match, for a time' 'delete' 'End silences now' 'rm' 'End silences now'
    case 'config'
      printf '%s\t%s\n' 'rm' 'Remove a setting from the profile'
    case '*'
      return 1
  end
end

# The options that may be given at the place.
function __svc_options -a place
  switch "$place"
    case ''
      printf '%s\t%s\n' '--version' 'The version' '-V' 'The version'
  end
  switch "$place"
    case 'alerts list'
      printf '%s\t%s\n' '--state' 'Only alerts in this state; suppressed is silenced or inhibited (default active)' '--all' 'Alerts in every state' '-a' 'Alerts in every state' '--receiver' 'Only alerts routed to receivers whose whole name matches' '-r' 'Only alerts routed to receivers whose whole name matches' '--older-than' 'Only alerts that started longer ago' '--newer-than' 'Only alerts that started since' '--limit' 'At most so many' '--group-by' 'Count the alerts of each combination of values' '--count-by' 'Count the alerts of each value, most frequent first' '--count' 'Print how many there are, and nothing else' '--watch' 'Look again and again, every 5s unless told otherwise' '--fail-if-any' 'Exit with 1 if there are any'
  end
  switch "$place"
    case 'alerts groups'
      printf '%s\t%s\n' '--state' 'Only alerts in this state; suppressed is silenced or inhibited (default active)' '--all' 'Alerts in every state' '-a' 'Alerts in every state' '--receiver' 'Only groups of receivers whose whole name matches' '-r' 'Only groups of receivers whose whole name matches' '--limit' 'At most so many groups'
  end
  switch "$place"
    case 'alerts check'
      printf '%s\t%s\n' '--min' 'There must be so many at least' '--max' 'There may be so many at most' '--expect' 'There must be one at least: for an alert that always fires' '--state' 'Count alerts in this state; suppressed is silenced or inhibited (default active)' '--all' 'Count alerts in every state' '-a' 'Count alerts in every state' '--receiver' 'Count only alerts routed to receivers whose whole name matches' '-r' 'Count only alerts routed to receivers whose whole name matches' '--older-than' 'Count only alerts that started longer ago' '--wait' 'Look again until it holds, for so long' '--stable' 'With --wait: it has to hold for so long without a break' '--interval' 'With --wait: time between two looks (5s unless given)'
  end
  switch "$place"
    case 'alerts create'
      printf '%s\t%s\n' '--annotation' 'An annotation' '--generator-url' 'Where the alert comes from' '--start' 'When it started (default now)' '--end' 'When it ends' '--for' 'How long it fires, from its start' '-d' 'How long it fires, from its start' '--file' 'Alerts as JSON, one or an array, - for standard input' '-f' 'Alerts as JSON, one or an array, - for standard input' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'alerts resolve'
      printf '%s\t%s\n' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'alerts status'
      printf '%s\t%s\n' '--config' 'Print the server\'s configuration file instead' '--wait-ready' 'Wait so long for it to answer and for its cluster to settle; 9 if it does not'
  end
  switch "$place"
    case 'silences list'
      printf '%s\t%s\n' '--state' 'Only silences in this state (default active, pending)' '--expired' 'Only expired ones, as --state expired' '--all' 'Silences in every state' '-a' 'Silences in every state' '--within' 'Only those that end within this time, or with --expired ended within it' '--created-by' 'Only of this author; me for yourself, ~regex for a pattern' '--comment' 'Only with this text in the comment; ~regex for a pattern' '--for-alert' 'Only those that mute this alert now, as the server says' '--matching' 'Only those that would mute an alert with these labels' '--unused' 'Only active ones that mute no alert now' '--with-counts' 'Count the alerts that each mutes now' '--limit' 'At most so many'
  end
  switch "$place"
    case 'silences create'
      printf '%s\t%s\n' '--for' 'How long, from its start (default 1h)' '-d' 'How long, from its start (default 1h)' '--until' 'When it ends' '--from' 'When it starts (default now)' '--comment' 'Why, for those who wonder; required' '-c' 'Why, for those who wonder; required' '--author' 'Who (default: setting alerts.author, or user@host)' '--from-alert' 'Matchers from the labels of this alert, besides those given' '--drop' 'With --from-alert: leave this label out' '--ensure' 'Only if none of the same matchers covers the time; a shorter one is extended' '--max-alerts' 'Refuse to mute more alerts than this' '--file' 'Silences as JSON, one or an array, - for standard input; one with an id is an update' '-f' 'Silences as JSON, one or an array, - for standard input; one with an id is an update' '--all-alerts' 'Yes, even everything' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences ack'
      printf '%s\t%s\n' '--for' 'How long' '-d' 'How long' '--comment' 'Why; ACK! is put before it' '-c' 'Why; ACK! is put before it' '--author' 'Who (default: setting alerts.author, or user@host)' '--drop' 'Leave this label out' '--all-alerts' 'Yes, even everything' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences run'
      printf '%s\t%s\n' '--comment' 'Why (default: while <command> runs)' '-c' 'Why (default: while <command> runs)' '--author' 'Who (default: setting alerts.author, or user@host)' '--ttl' 'How long it lasts if nobody extends it' '--grace' 'Extend it when less than this is left (default 2m, or a third of --ttl)' '--all-alerts' 'Yes, even everything' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences update'
      printf '%s\t%s\n' '--for' 'How much longer, from now' '-d' 'How much longer, from now' '--until' 'When it ends' '--extend' 'How much later than it would end now' '--from' 'When it starts' '--comment' 'A new comment' '-c' 'A new comment' '--author' 'A new author' '--matcher' 'New matchers, in place of all old ones' '-m' 'New matchers, in place of all old ones' '--all-alerts' 'Yes, even everything' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences extend'
      printf '%s\t%s\n' '--by' 'How much later than they would end now' '--max' 'How long each may last in all, from its start' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences keepalive'
      printf '%s\t%s\n' '--prefix' 'How the comment of an acknowledgement begins' '--if-within' 'Only those that end within this time' '--by' 'How much later than they would end now' '--max' 'How long each may last in all, from its start' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences recreate'
      printf '%s\t%s\n' '--for' 'How long, from now' '-d' 'How long, from now' '--all-alerts' 'Yes, even everything' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences expire'
      printf '%s\t%s\n' '--created-by' 'Only of this author; me for yourself, ~regex for a pattern' '--comment' 'Only with this text in the comment; ~regex for a pattern' '--for-alert' 'Only those that mute this alert now, as the server says' '--matching' 'Only those that would mute an alert with these labels' '--unused' 'Only active ones that mute no alert now' '--all' 'All active and pending silences' '--ignore-missing' 'A silence that is not there is no failure' '--concurrency' 'How many requests at once' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'silences export'
      printf '%s\t%s\n' '--state' 'Only silences in this state (default active, pending)' '--expired' 'Only expired ones, as --state expired' '--all' 'Silences in every state' '-a' 'Silences in every state' '--within' 'Only those that end within this time, or with --expired ended within it' '--created-by' 'Only of this author; me for yourself, ~regex for a pattern' '--comment' 'Only with this text in the comment; ~regex for a pattern' '--for-alert' 'Only those that mute this alert now, as the server says' '--matching' 'Only those that would mute an alert with these labels' '--unused' 'Only active ones that mute no alert now'
  end
  switch "$place"
    case 'silences import'
      printf '%s\t%s\n' '--on-conflict' 'What to do where the server has such a silence at that time: leave it, move its end if that is earlier, or make another' '--concurrency' 'How many requests at once' '--all-alerts' 'Silences without a positive matcher too' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'config list'
      printf '%s\t%s\n' '--show-origin' 'Say where each value comes from: which variable, which file' '--all' 'Include the settings that have no value' '-a' 'Include the settings that have no value'
  end
  switch "$place"
    case 'sandbox start'
      printf '%s\t%s\n' '--empty' 'Start without the sample data' '--port' 'Port of the alert manager, 0 for a free one'
  end
  switch "$place"
    case 'sandbox run'
      printf '%s\t%s\n' '--empty' 'Start without the sample data'
  end
  switch "$place"
    case '' 'alerts' 'silences' 'alerts list' 'alerts get' 'alerts groups' 'alerts check' 'alerts create' 'alerts resolve' 'alerts receivers' 'alerts status' 'silences list' 'silences get' 'silences create' 'silences ack' 'silences run' 'silences update' 'silences extend' 'silences keepalive' 'silences recreate' 'silences expire' 'silences export' 'silences import'
      printf '%s\t%s\n' '--base-url' 'Address of the service' '--timeout' 'Longest time for one request (default 30s)' '--header' 'An extra header that is no secret' '--header-file' 'Extra headers, one per line; never shown' '--cacert' 'Trust the certificates in this PEM file too' '--cert' 'Client certificate (PEM)' '--key' 'The client certificate\'s key (PEM)' '--insecure' 'Do not check certificates; allow a credential over plain http'
  end
  printf '%s\t%s\n' '--output' 'How the value is printed' '-o' 'How the value is printed' '--json' 'Same as -o json' '--fields' 'Only these fields of each item' '--query' 'A JMESPath expression applied to the value' '--columns' 'Which columns, in this order (table, wide, csv, tsv)' '--no-headers' 'No header line (table, wide, csv, tsv)' '--sort' 'Sort a list by a column or field, - for descending' '--time' 'How times are shown in tables' '--quiet' 'Print ids only, and no notices' '-q' 'Print ids only, and no notices' '--verbose' 'One line per request on stderr' '-v' 'One line per request on stderr' '--debug' 'Headers and bodies of each request on stderr, redacted' '--color' 'When to use colour' '--no-input' 'Never ask; a missing value is an error' '--profile' 'The profile to take settings from' '--help' 'Show this help' '-h' 'Show this help'
end

# Prints the values of the kind $argv[2], each after $argv[1]; what follows are the choices.
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
