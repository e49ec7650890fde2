# PowerShell completion for svc, made from the declarations of its commands by: svc completion powershell

# Where "<place> <word>" leads.
function __SvcEnter([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    ' alerts' { return 'alerts' }
    ' silences' { return 'silences' }
    ' config' { return 'config' }
    ' sandbox' { return 'sandbox' }
    ' completion' { return 'completion' }
    'alerts list' { return 'alerts list' }
    'alerts ls' { return 'alerts list' }
    'alerts query' { return 'alerts list' }
    'alerts get' { return 'alerts get' }
    'alerts show' { return 'alerts get' }
    'alerts groups' { return 'alerts groups' }
    'alerts check' { return 'alerts check' }
    'alerts create' { return 'alerts create' }
    'alerts add' { return 'alerts create' }
    'alerts resolve' { return 'alerts resolve' }
    'alerts receivers' { return 'alerts receivers' }
    'alerts status' { return 'alerts status' }
    'silences list' { return 'silences list' }
    'silences ls' { return 'silences list' }
    'silences query' { return 'silences list' }
    'silences get' { return 'silences get' }
    'silences show' { return 'silences get' }
    'silences create' { return 'silences create' }
    'silences add' { return 'silences create' }
    'silences ack' { return 'silences ack' }
    'silences run' { return 'silences run' }
    'silences update' { return 'silences update' }
    'silences extend' { return 'silences extend' }
    'silences keepalive' { return 'silences keepalive' }
    'silences recreate' { return 'silences recreate' }
    'silences expire' { return 'silences expire' }
    'silences delete' { return 'silences expire' }
    'silences rm' { return 'silences expire' }
    'silences export' { return 'silences export' }
    'silences import' { return 'silences import' }
    'config list' { return 'config list' }
    'config get' { return 'config get' }
    'config set' { return 'config set' }
    'config unset' { return 'config unset' }
    'config rm' { return 'config unset' }
    'config path' { return 'config path' }
    'config edit' { return 'config edit' }
    'config profiles' { return 'config profiles' }
    'config use' { return 'config use' }
    'sandbox start' { return 'sandbox start' }
    'sandbox run' { return 'sandbox run' }
    'completion bash' { return 'completion bash' }
    'completion zsh' { return 'completion zsh' }
    'completion fish' { return 'completion fish' }
    'completion powershell' { return 'completion powershell' }
    ' help' { return 'help' }
    'help alerts' { return 'alerts' }
    'help silences' { return 'silences' }
    'help config' { return 'config' }
    'help sandbox' { return 'sandbox' }
    'help completion' { return 'completion' }
  }
}

# What "<place> <option>" takes: its kind, and the choices where there are some.
function __SvcValue([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    'alerts list --state' { return @('choices', 'active', 'silenced', 'inhibited', 'suppressed', 'unprocessed') }
    'alerts list --receiver' { return @('receivers') }
    'alerts list -r' { return @('receivers') }
    'alerts list --older-than' { return @('any') }
    'alerts list --newer-than' { return @('any') }
    'alerts list --limit' { return @('any') }
    'alerts list --group-by' { return @('any') }
    'alerts list --count-by' { return @('any') }
    'alerts list --watch' { return @('attached') }
    'alerts groups --state' { return @('choices', 'active', 'silenced', 'inhibited', 'suppressed') }
    'alerts groups --receiver' { return @('receivers') }
    'alerts groups -r' { return @('receivers') }
    'alerts groups --limit' { return @('any') }
    'alerts check --min' { return @('any') }
    'alerts check --max' { return @('any') }
    'alerts check --state' { return @('choices', 'active', 'silenced', 'inhibited', 'suppressed') }
    'alerts check --receiver' { return @('receivers') }
    'alerts check -r' { return @('receivers') }
    'alerts check --older-than' { return @('any') }
    'alerts check --wait' { return @('any') }
    'alerts check --stable' { return @('any') }
    'alerts check --interval' { return @('any') }
    'alerts create --annotation' { return @('any') }
    'alerts create --generator-url' { return @('any') }
    'alerts create --start' { return @('any') }
    'alerts create --end' { return @('any') }
    'alerts create --for' { return @('any') }
    'alerts create -d' { return @('any') }
    'alerts create --file' { return @('files') }
    'alerts create -f' { return @('files') }
    'alerts status --wait-ready' { return @('any') }
    'silences list --state' { return @('choices', 'active', 'pending', 'expired') }
    'silences list --within' { return @('any') }
    'silences list --created-by' { return @('any') }
    'silences list --comment' { return @('any') }
    'silences list --for-alert' { return @('fingerprints') }
    'silences list --matching' { return @('any') }
    'silences list --limit' { return @('any') }
    'silences create --for' { return @('any') }
    'silences create -d' { return @('any') }
    'silences create --until' { return @('any') }
    'silences create --from' { return @('any') }
    'silences create --comment' { return @('any') }
    'silences create -c' { return @('any') }
    'silences create --author' { return @('any') }
    'silences create --from-alert' { return @('fingerprints') }
    'silences create --drop' { return @('any') }
    'silences create --max-alerts' { return @('any') }
    'silences create --file' { return @('files') }
    'silences create -f' { return @('files') }
    'silences ack --for' { return @('any') }
    'silences ack -d' { return @('any') }
    'silences ack --comment' { return @('any') }
    'silences ack -c' { return @('any') }
    'silences ack --author' { return @('any') }
    'silences ack --drop' { return @('any') }
    'silences run --comment' { return @('any') }
    'silences run -c' { return @('any') }
    'silences run --author' { return @('any') }
    'silences run --ttl' { return @('any') }
    'silences run --grace' { return @('any') }
    'silences update --for' { return @('any') }
    'silences update -d' { return @('any') }
    'silences update --until' { return @('any') }
    'silences update --extend' { return @('any') }
    'silences update --from' { return @('any') }
    'silences update --comment' { return @('any') }
    'silences update -c' { return @('any') }
    'silences update --author' { return @('any') }
    'silences update --matcher' { return @('any') }
    'silences update -m' { return @('any') }
    'silences extend --by' { return @('any') }
    'silences extend --max' { return @('any') }
    'silences keepalive --prefix' { return @('any') }
    'silences keepalive --if-within' { return @('any') }
    'silences keepalive --by' { return @('any') }
    'silences keepalive --max' { return @('any') }
    'silences recreate --for' { return @('any') }
    'silences recreate -d' { return @('any') }
    'silences expire --created-by' { return @('any') }
    'silences expire --comment' { return @('any') }
    'silences expire --for-alert' { return @('fingerprints') }
    'silences expire --matching' { return @('any') }
    'silences expire --concurrency' { return @('any') }
    'silences export --state' { return @('choices', 'active', 'pending', 'expired') }
    'silences export --within' { return @('any') }
    'silences export --created-by' { return @('any') }
    'silences export --comment' { return @('any') }
    'silences export --for-alert' { return @('fingerprints') }
    'silences export --matching' { return @('any') }
    'silences import --on-conflict' { return @('choices', 'skip', 'extend', 'duplicate') }
    'silences import --concurrency' { return @('any') }
    'sandbox start --port' { return @('any') }
    '* --dry-run' { return @('attached', 'curl') }
    '* --base-url' { return @('any') }
    '* --timeout' { return @('any') }
    '* --header' { return @('any') }
    '* --header-file' { return @('files') }
    '* --cacert' { return @('files') }
    '* --cert' { return @('files') }
    '* --key' { return @('files') }
    '* --output' { return @('choices', 'table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id') }
    '* -o' { return @('choices', 'table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id') }
    '* --fields' { return @('any') }
    '* --query' { return @('any') }
    '* --columns' { return @('any') }
    '* --sort' { return @('any') }
    '* --time' { return @('choices', 'relative', 'utc', 'local', 'iso') }
    '* --color' { return @('choices', 'auto', 'always', 'never') }
    '* --profile' { return @('profiles') }
  }
}

# The kind of the operand "<place> <index>".
function __SvcOperand([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    'alerts get 0' { return @('fingerprints') }
    'alerts resolve *' { return @('fingerprints') }
    'silences get 0' { return @('silences') }
    'silences ack *' { return @('fingerprints') }
    'silences update 0' { return @('silences') }
    'silences extend *' { return @('silences') }
    'silences recreate *' { return @('silences') }
    'silences expire *' { return @('silences') }
    'silences import 0' { return @('files') }
    'config get 0' { return @('settings') }
    'config set 0' { return @('settings') }
    'config unset 0' { return @('settings') }
    'config use 0' { return @('profiles') }
  }
}

# Whether a command line of its own stands after -- at "<place>".
function __SvcCommandLine([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    'silences run' { return $true }
  }
}

# The words that may follow at "<place>".
function __SvcWords([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    '' { return @(
      'alerts See what fires, and send alerts'
      'silences Mute alerts safely, and end it'
      'config Settings and profiles'
      'sandbox The services on this machine, to try svc on'
      'completion Complete svc with <Tab> in your shell'
      'help Help on a command or a topic'
    ) }
    'help' { return @(
      'alerts See what fires, and send alerts'
      'silences Mute alerts safely, and end it'
      'config Settings and profiles'
      'sandbox The services on this machine, to try svc on'
      'completion Complete svc with <Tab> in your shell'
      'exit-codes Topic'
      'environment Topic'
    ) }
    'alerts' { return @(
      'list List alerts, active ones unless told otherwise'
      'get Show one alert, who silences it and which alerts inhibit it'
      'groups List alerts as the server groups them for its receivers'
      'check Test how many alerts there are: 0 if as many as there may be, 1 if not'
      'create Send an alert, or a file of them'
      'resolve End alerts now'
      'receivers List the receivers, which are the names of notification integrations'
      'status Show the version, uptime and cluster of the alert manager'
    ) }
    'silences' { return @(
      'list List silences, active and pending ones unless told otherwise'
      'get Show one silence'
      'create Mute the alerts that match, for a time'
      'ack Acknowledge alerts: mute them for a short time'
      'run Silence alerts while a command runs'
      'update Change a silence'
      'extend Let silences end later'
      'keepalive Extend acknowledgements while their alerts fire, once; for cron'
      'recreate Make expired silences again'
      'expire End silences now'
      'export Write silences out, for import here or elsewhere'
      'import Bring silences from a file to the server'
    ) }
    'config' { return @(
      'list List the settings and their values'
      'get Print the value of one setting'
      'set Set a setting in the profile'
      'unset Remove a setting from the profile'
      'path Print the path of the settings file'
      'edit Edit the settings file'
      'profiles List the profiles'
      'use Choose the profile to use from now on'
    ) }
    'sandbox' { return @(
      'start Start the services on this machine and print the environment to use'
      'run Run one command against the services on this machine'
    ) }
    'completion' { return @(
      'bash Print the script that completes svc in bash'
      'zsh Print the script that completes svc in zsh'
      'fish Print the script that completes svc in fish'
      'powershell Print the script that completes svc in PowerShell'
    ) }
  }
}

# Other names of them.
function __SvcAliases([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    'alerts' { return @(
      'ls List alerts, active ones unless told otherwise'
      'query List alerts, active ones unless told otherwise'
      'show Show one alert, who silences it and which alerts inhibit it'
      'add Send an alert, or a file of them'
    ) }
    'silences' { return @(
      'ls List silences, active and pending ones unless told otherwise'
      'query List silences, active and pending ones unless told otherwise'
      'show Show one silence'
      'add Mute the alerts that match, for a time'
      'delete End silences now'
      'rm End silences now'
    ) }
    'config' { return @(
      'rm Remove a setting from the profile'
    ) }
  }
}

# The options that may be given at the place.
function __SvcOptions([string]$Place) {
  if (@('') -ccontains $Place) {
    @(
      '--version The version'
      '-V The version'
    )
  }
  if (@('alerts list') -ccontains $Place) {
    @(
      '--state Only alerts in this state; suppressed is silenced or inhibited (default active)'
      '--all Alerts in every state'
      '-a Alerts in every state'
      '--receiver Only alerts routed to receivers whose whole name matches'
      '-r Only alerts routed to receivers whose whole name matches'
      '--older-than Only alerts that started longer ago'
      '--newer-than Only alerts that started since'
      '--limit At most so many'
      '--group-by Count the alerts of each combination of values'
      '--count-by Count the alerts of each value, most frequent first'
      '--count Print how many there are, and nothing else'
      '--watch Look again and again, every 5s unless told otherwise'
      '--fail-if-any Exit with 1 if there are any'
    )
  }
  if (@('alerts groups') -ccontains $Place) {
    @(
      '--state Only alerts in this state; suppressed is silenced or inhibited (default active)'
      '--all Alerts in every state'
      '-a Alerts in every state'
      '--receiver Only groups of receivers whose whole name matches'
      '-r Only groups of receivers whose whole name matches'
      '--limit At most so many groups'
    )
  }
  if (@('alerts check') -ccontains $Place) {
    @(
      '--min There must be so many at least'
      '--max There may be so many at most'
      '--expect There must be one at least: for an alert that always fires'
      '--state Count alerts in this state; suppressed is silenced or inhibited (default active)'
      '--all Count alerts in every state'
      '-a Count alerts in every state'
      '--receiver Count only alerts routed to receivers whose whole name matches'
      '-r Count only alerts routed to receivers whose whole name matches'
      '--older-than Count only alerts that started longer ago'
      '--wait Look again until it holds, for so long'
      '--stable With --wait: it has to hold for so long without a break'
      '--interval With --wait: time between two looks (5s unless given)'
    )
  }
  if (@('alerts create') -ccontains $Place) {
    @(
      '--annotation An annotation'
      '--generator-url Where the alert comes from'
      '--start When it started (default now)'
      '--end When it ends'
      '--for How long it fires, from its start'
      '-d How long it fires, from its start'
      '--file Alerts as JSON, one or an array, - for standard input'
      '-f Alerts as JSON, one or an array, - for standard input'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('alerts resolve') -ccontains $Place) {
    @(
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('alerts status') -ccontains $Place) {
    @(
      '--config Print the server''s configuration file instead'
      '--wait-ready Wait so long for it to answer and for its cluster to settle; 9 if it does not'
    )
  }
  if (@('silences list') -ccontains $Place) {
    @(
      '--state Only silences in this state (default active, pending)'
      '--expired Only expired ones, as --state expired'
      '--all Silences in every state'
      '-a Silences in every state'
      '--within Only those that end within this time, or with --expired ended within it'
      '--created-by Only of this author; me for yourself, ~regex for a pattern'
      '--comment Only with this text in the comment; ~regex for a pattern'
      '--for-alert Only those that mute this alert now, as the server says'
      '--matching Only those that would mute an alert with these labels'
      '--unused Only active ones that mute no alert now'
      '--with-counts Count the alerts that each mutes now'
      '--limit At most so many'
    )
  }
  if (@('silences create') -ccontains $Place) {
    @(
      '--for How long, from its start (default 1h)'
      '-d How long, from its start (default 1h)'
      '--until When it ends'
      '--from When it starts (default now)'
      '--comment Why, for those who wonder; required'
      '-c Why, for those who wonder; required'
      '--author Who (default: setting alerts.author, or user@host)'
      '--from-alert Matchers from the labels of this alert, besides those given'
      '--drop With --from-alert: leave this label out'
      '--ensure Only if none of the same matchers covers the time; a shorter one is extended'
      '--max-alerts Refuse to mute more alerts than this'
      '--file Silences as JSON, one or an array, - for standard input; one with an id is an update'
      '-f Silences as JSON, one or an array, - for standard input; one with an id is an update'
      '--all-alerts Yes, even everything'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences ack') -ccontains $Place) {
    @(
      '--for How long'
      '-d How long'
      '--comment Why; ACK! is put before it'
      '-c Why; ACK! is put before it'
      '--author Who (default: setting alerts.author, or user@host)'
      '--drop Leave this label out'
      '--all-alerts Yes, even everything'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences run') -ccontains $Place) {
    @(
      '--comment Why (default: while <command> runs)'
      '-c Why (default: while <command> runs)'
      '--author Who (default: setting alerts.author, or user@host)'
      '--ttl How long it lasts if nobody extends it'
      '--grace Extend it when less than this is left (default 2m, or a third of --ttl)'
      '--all-alerts Yes, even everything'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences update') -ccontains $Place) {
    @(
      '--for How much longer, from now'
      '-d How much longer, from now'
      '--until When it ends'
      '--extend How much later than it would end now'
      '--from When it starts'
      '--comment A new comment'
      '-c A new comment'
      '--author A new author'
      '--matcher New matchers, in place of all old ones'
      '-m New matchers, in place of all old ones'
      '--all-alerts Yes, even everything'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences extend') -ccontains $Place) {
    @(
      '--by How much later than they would end now'
      '--max How long each may last in all, from its start'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences keepalive') -ccontains $Place) {
    @(
      '--prefix How the comment of an acknowledgement begins'
      '--if-within Only those that end within this time'
      '--by How much later than they would end now'
      '--max How long each may last in all, from its start'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences recreate') -ccontains $Place) {
    @(
      '--for How long, from now'
      '-d How long, from now'
      '--all-alerts Yes, even everything'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences expire') -ccontains $Place) {
    @(
      '--created-by Only of this author; me for yourself, ~regex for a pattern'
      '--comment Only with this text in the comment; ~regex for a pattern'
      '--for-alert Only those that mute this alert now, as the server says'
      '--matching Only those that would mute an alert with these labels'
      '--unused Only active ones that mute no alert now'
      '--all All active and pending silences'
      '--ignore-missing A silence that is not there is no failure'
      '--concurrency How many requests at once'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences export') -ccontains $Place) {
    @(
      '--state Only silences in this state (default active, pending)'
      '--expired Only expired ones, as --state expired'
      '--all Silences in every state'
      '-a Silences in every state'
      '--within Only those that end within this time, or with --expired ended within it'
      '--created-by Only of this author; me for yourself, ~regex for a pattern'
      '--comment Only with this text in the comment; ~regex for a pattern'
      '--for-alert Only those that mute this alert now, as the server says'
      '--matching Only those that would mute an alert with these labels'
      '--unused Only active ones that mute no alert now'
    )
  }
  if (@('silences import') -ccontains $Place) {
    @(
      '--on-conflict What to do where the server has such a silence at that time: leave it, move its end if that is earlier, or make another'
      '--concurrency How many requests at once'
      '--all-alerts Silences without a positive matcher too'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('config list') -ccontains $Place) {
    @(
      '--show-origin Say where each value comes from: which variable, which file'
      '--all Include the settings that have no value'
      '-a Include the settings that have no value'
    )
  }
  if (@('sandbox start') -ccontains $Place) {
    @(
      '--empty Start without the sample data'
      '--port Port of the alert manager, 0 for a free one'
    )
  }
  if (@('sandbox run') -ccontains $Place) {
    @(
      '--empty Start without the sample data'
    )
  }
  if (@('', 'alerts', 'silences', 'alerts list', 'alerts get', 'alerts groups', 'alerts check', 'alerts create', 'alerts resolve', 'alerts receivers', 'alerts status', 'silences list', 'silences get', 'silences create', 'silences ack', 'silences run', 'silences update', 'silences extend', 'silences keepalive', 'silences recreate', 'silences expire', 'silences export', 'silences import') -ccontains $Place) {
    @(
      '--base-url Address of the service'
      '--timeout Longest time for one request (default 30s)'
      '--header An extra header that is no secret'
      '--header-file Extra headers, one per line; never shown'
      '--cacert Trust the certificates in this PEM file too'
      '--cert Client certificate (PEM)'
      '--key The client certificate''s key (PEM)'
      '--insecure Do not check certificates; allow a credential over plain http'
    )
  }
  @(
      '--output How the value is printed'
      '-o How the value is printed'
      '--json Same as -o json'
      '--fields Only these fields of each item'
      '--query A JMESPath expression applied to the value'
      '--columns Which columns, in this order (table, wide, csv, tsv)'
      '--no-headers No header line (table, wide, csv, tsv)'
      '--sort Sort a list by a column or field, - for descending'
      '--time How times are shown in tables'
      '--quiet Print ids only, and no notices'
      '-q Print ids only, and no notices'
      '--verbose One line per request on stderr'
      '-v One line per request on stderr'
      '--debug Headers and bodies of each request on stderr, redacted'
      '--color When to use colour'
      '--no-input Never ask; a missing value is an error'
      '--profile The profile to take settings from'
      '--help Show this help'
      '-h Show this help'
  )
}

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
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
        $candidate = @($_ -split "`t", 2)
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
