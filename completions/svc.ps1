# PowerShell completion for svc, made from the declarations of its commands by: svc completion powershell

# Where "<place> <word>" leads.
function __SvcEnter([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    ' alerts' { return 'alerts' }
    ' silences' { return 'silences' }
    ' webhooks' { return 'webhooks' }
    ' oauth' { return 'oauth' }
    ' catalog' { return 'catalog' }
    ' trade' { return 'trade' }
    ' config' { return 'config' }
    ' sandbox' { return 'sandbox' }
    ' completion' { return 'completion' }
    ' doctor' { return 'doctor' }
    ' api' { return 'api' }
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
    'webhooks list' { return 'webhooks list' }
    'webhooks ls' { return 'webhooks list' }
    'webhooks get' { return 'webhooks get' }
    'webhooks create' { return 'webhooks create' }
    'webhooks update' { return 'webhooks update' }
    'webhooks enable' { return 'webhooks enable' }
    'webhooks rotate' { return 'webhooks rotate' }
    'webhooks delete' { return 'webhooks delete' }
    'webhooks rm' { return 'webhooks delete' }
    'webhooks test' { return 'webhooks test' }
    'webhooks deliveries' { return 'webhooks deliveries' }
    'webhooks log' { return 'webhooks deliveries' }
    'webhooks samples' { return 'webhooks samples' }
    'webhooks doctor' { return 'webhooks doctor' }
    'webhooks verify' { return 'webhooks verify' }
    'webhooks listen' { return 'webhooks listen' }
    'webhooks sign' { return 'webhooks sign' }
    'webhooks send' { return 'webhooks send' }
    'webhooks trigger' { return 'webhooks send' }
    'webhooks replay' { return 'webhooks replay' }
    'webhooks check-receiver' { return 'webhooks check-receiver' }
    'webhooks show' { return 'webhooks show' }
    'webhooks secrets' { return 'webhooks secrets' }
    'webhooks secrets list' { return 'webhooks secrets list' }
    'webhooks secrets import' { return 'webhooks secrets import' }
    'webhooks secrets export' { return 'webhooks secrets export' }
    'webhooks secrets delete' { return 'webhooks secrets delete' }
    'oauth login' { return 'oauth login' }
    'oauth status' { return 'oauth status' }
    'oauth token' { return 'oauth token' }
    'oauth refresh' { return 'oauth refresh' }
    'oauth logout' { return 'oauth logout' }
    'oauth clients' { return 'oauth clients' }
    'oauth clients list' { return 'oauth clients list' }
    'oauth clients register' { return 'oauth clients register' }
    'oauth clients forget' { return 'oauth clients forget' }
    'oauth discovery' { return 'oauth discovery' }
    'catalog products' { return 'catalog products' }
    'catalog products list' { return 'catalog products list' }
    'catalog products ls' { return 'catalog products list' }
    'catalog products get' { return 'catalog products get' }
    'catalog products sources' { return 'catalog products sources' }
    'catalog products snapshots' { return 'catalog products snapshots' }
    'catalog products dynamics' { return 'catalog products dynamics' }
    'catalog products count' { return 'catalog products count' }
    'catalog products common' { return 'catalog products common' }
    'catalog history' { return 'catalog history' }
    'catalog chart' { return 'catalog history' }
    'catalog compare' { return 'catalog compare' }
    'catalog check' { return 'catalog check' }
    'catalog categories' { return 'catalog categories' }
    'catalog categories list' { return 'catalog categories list' }
    'catalog categories ls' { return 'catalog categories list' }
    'catalog categories get' { return 'catalog categories get' }
    'catalog categories tree' { return 'catalog categories tree' }
    'catalog settlements' { return 'catalog settlements' }
    'catalog settlements list' { return 'catalog settlements list' }
    'catalog settlements ls' { return 'catalog settlements list' }
    'catalog settlements get' { return 'catalog settlements get' }
    'catalog cursors' { return 'catalog cursors' }
    'catalog health' { return 'catalog health' }
    'trade accounts' { return 'trade accounts' }
    'trade positions' { return 'trade positions' }
    'trade orders' { return 'trade orders' }
    'trade order' { return 'trade order' }
    'trade order get' { return 'trade order get' }
    'trade offers' { return 'trade offers' }
    'trade quote' { return 'trade quote' }
    'trade stream' { return 'trade stream' }
    'trade watch' { return 'trade watch' }
    'trade candles' { return 'trade candles' }
    'trade model' { return 'trade model' }
    'trade symbols' { return 'trade symbols' }
    'trade symbols list' { return 'trade symbols list' }
    'trade symbols ls' { return 'trade symbols list' }
    'trade symbols info' { return 'trade symbols info' }
    'trade symbols show' { return 'trade symbols show' }
    'trade symbols hide' { return 'trade symbols hide' }
    'trade buy' { return 'trade buy' }
    'trade sell' { return 'trade sell' }
    'trade entry' { return 'trade entry' }
    'trade entry buy' { return 'trade entry buy' }
    'trade entry sell' { return 'trade entry sell' }
    'trade close' { return 'trade close' }
    'trade position' { return 'trade position' }
    'trade position set' { return 'trade position set' }
    'trade order set' { return 'trade order set' }
    'trade order cancel' { return 'trade order cancel' }
    'trade oco' { return 'trade oco' }
    'trade oco create' { return 'trade oco create' }
    'trade oco add' { return 'trade oco add' }
    'trade oco remove' { return 'trade oco remove' }
    'trade oco edit' { return 'trade oco edit' }
    'trade batch' { return 'trade batch' }
    'trade hours' { return 'trade hours' }
    'trade limits' { return 'trade limits' }
    'trade journal' { return 'trade journal' }
    'trade journal settle' { return 'trade journal settle' }
    'trade login' { return 'trade login' }
    'trade logout' { return 'trade logout' }
    'trade status' { return 'trade status' }
    'trade ping' { return 'trade ping' }
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
    'sandbox status' { return 'sandbox status' }
    'completion bash' { return 'completion bash' }
    'completion zsh' { return 'completion zsh' }
    'completion fish' { return 'completion fish' }
    'completion powershell' { return 'completion powershell' }
    ' help' { return 'help' }
    'help alerts' { return 'alerts' }
    'help silences' { return 'silences' }
    'help webhooks' { return 'webhooks' }
    'help oauth' { return 'oauth' }
    'help catalog' { return 'catalog' }
    'help trade' { return 'trade' }
    'help config' { return 'config' }
    'help sandbox' { return 'sandbox' }
    'help completion' { return 'completion' }
    'help doctor' { return 'doctor' }
    'help api' { return 'api' }
  }
}

# What "<place> <option>" takes: its kind, and the choices where there are some.
function __SvcValue([string]$Key) {
  switch -Wildcard -CaseSensitive ($Key) {
    'alerts list --state' { return @('choices', 'active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed') }
    'alerts list --receiver' { return @('receivers') }
    'alerts list -r' { return @('receivers') }
    'alerts list --older-than' { return @('any') }
    'alerts list --newer-than' { return @('any') }
    'alerts list --limit' { return @('any') }
    'alerts list --group-by' { return @('any') }
    'alerts list --count-by' { return @('any') }
    'alerts list --watch' { return @('attached') }
    'alerts groups --state' { return @('choices', 'active', 'silenced', 'inhibited', 'muted', 'suppressed') }
    'alerts groups --receiver' { return @('receivers') }
    'alerts groups -r' { return @('receivers') }
    'alerts groups --limit' { return @('any') }
    'alerts check --min' { return @('any') }
    'alerts check --max' { return @('any') }
    'alerts check --state' { return @('choices', 'active', 'silenced', 'inhibited', 'muted', 'suppressed') }
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
    'silences ack --by' { return @('any') }
    'silences run --comment' { return @('any') }
    'silences run -c' { return @('any') }
    'silences run --author' { return @('any') }
    'silences run --ttl' { return @('any') }
    'silences run --grace' { return @('any') }
    'silences run --if-unavailable' { return @('choices', 'run', 'fail') }
    'silences run --pass-env' { return @('any') }
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
    'webhooks list --status' { return @('choices', 'active', 'disabled') }
    'webhooks list --url-contains' { return @('any') }
    'webhooks list --limit' { return @('any') }
    'webhooks create --event' { return @('any') }
    'webhooks create --secret-file' { return @('files') }
    'webhooks create --secret-fd' { return @('any') }
    'webhooks update --url' { return @('any') }
    'webhooks update --add-event' { return @('any') }
    'webhooks update --remove-event' { return @('any') }
    'webhooks update --set-event' { return @('any') }
    'webhooks enable --url' { return @('any') }
    'webhooks rotate --wait' { return @('any') }
    'webhooks rotate --secret-file' { return @('files') }
    'webhooks rotate --secret-fd' { return @('any') }
    'webhooks test --wait' { return @('any') }
    'webhooks test --poll' { return @('any') }
    'webhooks deliveries --page' { return @('any') }
    'webhooks deliveries --page-size' { return @('any') }
    'webhooks deliveries --max-pages' { return @('any') }
    'webhooks deliveries --status' { return @('choices', 'pending', 'delivered', 'failed') }
    'webhooks deliveries --event' { return @('any') }
    'webhooks deliveries --event-id' { return @('any') }
    'webhooks deliveries --error' { return @('any') }
    'webhooks deliveries --since' { return @('any') }
    'webhooks deliveries --limit' { return @('any') }
    'webhooks deliveries --until' { return @('any') }
    'webhooks deliveries --wait' { return @('any') }
    'webhooks samples --event' { return @('any') }
    'webhooks samples --limit' { return @('any') }
    'webhooks samples --save' { return @('files') }
    'webhooks verify --format' { return @('choices', 'auto', 'body', 'http', 'har', 'curl', 'trace', 'json', 'ndjson') }
    'webhooks verify --timestamp' { return @('any') }
    'webhooks verify --signature' { return @('any') }
    'webhooks verify --header' { return @('any') }
    'webhooks verify --headers-file' { return @('files') }
    'webhooks verify --header-prefix' { return @('any') }
    'webhooks verify --endpoint' { return @('subscriptions') }
    'webhooks verify --secret-file' { return @('files') }
    'webhooks verify --secret-env' { return @('any') }
    'webhooks verify --secret-fd' { return @('any') }
    'webhooks verify --key-derivation' { return @('choices', 'raw', 'std') }
    'webhooks verify --tolerance' { return @('any') }
    'webhooks verify --now' { return @('any') }
    'webhooks verify --received-at' { return @('any') }
    'webhooks listen --port' { return @('any') }
    'webhooks listen --host' { return @('any') }
    'webhooks listen --path' { return @('any') }
    'webhooks listen --tls-cert' { return @('files') }
    'webhooks listen --tls-key' { return @('files') }
    'webhooks listen --endpoint' { return @('subscriptions') }
    'webhooks listen --secret-file' { return @('files') }
    'webhooks listen --secret-env' { return @('any') }
    'webhooks listen --secret-fd' { return @('any') }
    'webhooks listen --tolerance' { return @('any') }
    'webhooks listen --forward-to' { return @('any') }
    'webhooks listen --forward-timeout' { return @('any') }
    'webhooks listen --ack' { return @('choices', 'after', 'early') }
    'webhooks listen --respond' { return @('any') }
    'webhooks listen --on-invalid' { return @('choices', '401', '202') }
    'webhooks listen --event' { return @('any') }
    'webhooks listen --dedupe' { return @('choices', 'id', 'off') }
    'webhooks listen --dedupe-file' { return @('files') }
    'webhooks listen --record' { return @('files') }
    'webhooks listen --max-body' { return @('any') }
    'webhooks listen --count' { return @('any') }
    'webhooks listen --until-event' { return @('any') }
    'webhooks listen --wait' { return @('any') }
    'webhooks listen --ready-file' { return @('files') }
    'webhooks sign --timestamp' { return @('any') }
    'webhooks sign --as' { return @('choices', 'headers', 'signature', 'curl', 'http', 'json') }
    'webhooks sign --to' { return @('any') }
    'webhooks sign --event' { return @('any') }
    'webhooks sign --delivery' { return @('any') }
    'webhooks sign --header-prefix' { return @('any') }
    'webhooks sign --endpoint' { return @('subscriptions') }
    'webhooks sign --secret-file' { return @('files') }
    'webhooks sign --secret-env' { return @('any') }
    'webhooks sign --secret-fd' { return @('any') }
    'webhooks send --to' { return @('any') }
    'webhooks send --event' { return @('any') }
    'webhooks send --body' { return @('files') }
    'webhooks send --set' { return @('any') }
    'webhooks send --id' { return @('any') }
    'webhooks send --size' { return @('any') }
    'webhooks send --repeat' { return @('any') }
    'webhooks send --concurrency' { return @('any') }
    'webhooks send --skew' { return @('any') }
    'webhooks send --tamper' { return @('choices', 'none', 'body', 'signature', 'timestamp', 'header') }
    'webhooks send --deadline' { return @('any') }
    'webhooks send --endpoint' { return @('subscriptions') }
    'webhooks send --secret-file' { return @('files') }
    'webhooks send --secret-env' { return @('any') }
    'webhooks send --secret-fd' { return @('any') }
    'webhooks replay --to' { return @('any') }
    'webhooks replay --format' { return @('choices', 'auto', 'body', 'http', 'har', 'curl', 'trace', 'json', 'ndjson') }
    'webhooks replay --event-id' { return @('any') }
    'webhooks replay --event' { return @('any') }
    'webhooks replay --since' { return @('any') }
    'webhooks replay --until' { return @('any') }
    'webhooks replay --limit' { return @('any') }
    'webhooks replay --rate' { return @('any') }
    'webhooks replay --concurrency' { return @('any') }
    'webhooks replay --deadline' { return @('any') }
    'webhooks replay --endpoint' { return @('subscriptions') }
    'webhooks replay --secret-file' { return @('files') }
    'webhooks replay --secret-env' { return @('any') }
    'webhooks replay --secret-fd' { return @('any') }
    'webhooks check-receiver --only' { return @('choices', 'valid-ping', 'valid-summary', 'minimal-event', 'optional-fields', 'summary-formats', 'time-formats', 'unknown-type', 'unknown-fields', 'same-event-twice', 'body-blanks', 'body-trimming', 'body-numbers', 'body-escapes', 'body-key-order', 'body-duplicate-keys', 'not-utf8', 'body-1-mib', 'large-body', 'bad-signature', 'signature-empty', 'signature-short', 'no-redirect', 'signature-prefix', 'signature-input', 'truncated-transcript', 'signature-truncated', 'signature-long', 'signature-upper-case', 'signature-base64', 'missing-signature', 'missing-timestamp', 'type-mismatch', 'stale-timestamp', 'future-timestamp', 'shifted-dot', 'malformed-json') }
    'webhooks check-receiver --junit' { return @('files') }
    'webhooks check-receiver --endpoint' { return @('subscriptions') }
    'webhooks check-receiver --secret-file' { return @('files') }
    'webhooks check-receiver --secret-env' { return @('any') }
    'webhooks check-receiver --secret-fd' { return @('any') }
    'webhooks show --event-id' { return @('any') }
    'webhooks show --header-prefix' { return @('any') }
    'webhooks show --endpoint' { return @('subscriptions') }
    'webhooks show --secret-file' { return @('files') }
    'webhooks show --secret-env' { return @('any') }
    'webhooks show --secret-fd' { return @('any') }
    'webhooks secrets import --secret-file' { return @('files') }
    'webhooks secrets import --secret-env' { return @('any') }
    'webhooks secrets import --secret-fd' { return @('any') }
    'webhooks secrets import --against' { return @('files') }
    'webhooks secrets import --header-prefix' { return @('any') }
    'oauth login --port' { return @('any') }
    'oauth login --wait' { return @('any') }
    'oauth login --auth-method' { return @('choices', 'none', 'client_secret_basic', 'client_secret_post') }
    'oauth login --client-name' { return @('any') }
    'oauth login --client-id' { return @('any') }
    'oauth login --client-secret-file' { return @('any') }
    'oauth login --scope' { return @('any') }
    'oauth login --expires-in-days' { return @('any') }
    'oauth clients register --auth-method' { return @('choices', 'none', 'client_secret_basic', 'client_secret_post') }
    'oauth clients register --client-name' { return @('any') }
    'oauth clients register --redirect-uri' { return @('any') }
    'oauth clients register --secret-file' { return @('files') }
    'oauth clients register --secret-fd' { return @('any') }
    'oauth clients forget --issuer' { return @('any') }
    'catalog products list --search' { return @('any') }
    'catalog products list --brand' { return @('any') }
    'catalog products list --parser-name' { return @('stores') }
    'catalog products list --category' { return @('any') }
    'catalog products list --settlement' { return @('any') }
    'catalog products list --promo' { return @('choices', 'true', 'false') }
    'catalog products list --new' { return @('choices', 'true', 'false') }
    'catalog products list --hit' { return @('choices', 'true', 'false') }
    'catalog products list --adult' { return @('choices', 'true', 'false') }
    'catalog products list --price-min' { return @('any') }
    'catalog products list --price-max' { return @('any') }
    'catalog products list --order' { return @('choices', 'observed_at_desc', 'observed_at_asc', 'price_asc', 'price_desc', 'rating_desc') }
    'catalog products list --limit' { return @('any') }
    'catalog products list --offset' { return @('any') }
    'catalog products list --param' { return @('any') }
    'catalog products get --param' { return @('any') }
    'catalog products sources --order' { return @('choices', 'observed_at_desc', 'observed_at_asc') }
    'catalog products sources --limit' { return @('any') }
    'catalog products sources --offset' { return @('any') }
    'catalog products sources --param' { return @('any') }
    'catalog products snapshots --parser-name' { return @('stores') }
    'catalog products snapshots --source-id' { return @('sources') }
    'catalog products snapshots --order' { return @('choices', 'observed_at_desc', 'observed_at_asc') }
    'catalog products snapshots --limit' { return @('any') }
    'catalog products snapshots --offset' { return @('any') }
    'catalog products snapshots --param' { return @('any') }
    'catalog products dynamics --parser-name' { return @('stores') }
    'catalog products dynamics --source-id' { return @('sources') }
    'catalog products dynamics --field' { return @('choices', 'price', 'discount_price', 'loyal_price', 'available_count') }
    'catalog products dynamics --from' { return @('any') }
    'catalog products dynamics --to' { return @('any') }
    'catalog products dynamics --interval' { return @('choices', '1h', '6h', '1d', '7d') }
    'catalog products dynamics --param' { return @('any') }
    'catalog products count --store' { return @('stores') }
    'catalog products count --region' { return @('any') }
    'catalog products count --param' { return @('any') }
    'catalog products common --scope' { return @('choices', 'stores', 'regions') }
    'catalog products common --store' { return @('stores') }
    'catalog products common --region' { return @('any') }
    'catalog products common --param' { return @('any') }
    'catalog history --field' { return @('choices', 'price', 'discount_price', 'loyal_price', 'available_count') }
    'catalog history --store' { return @('stores') }
    'catalog history --source' { return @('sources') }
    'catalog history --from' { return @('any') }
    'catalog history --to' { return @('any') }
    'catalog history --interval' { return @('choices', 'auto', '1h', '6h', '1d', '7d') }
    'catalog history --fill' { return @('choices', 'none', 'last') }
    'catalog history --width' { return @('any') }
    'catalog history --height' { return @('any') }
    'catalog history --svg' { return @('files') }
    'catalog compare --search' { return @('any') }
    'catalog compare --max-products' { return @('any') }
    'catalog compare --by' { return @('choices', 'source', 'store', 'region') }
    'catalog compare --store' { return @('stores') }
    'catalog compare --region' { return @('any') }
    'catalog compare --field' { return @('choices', 'lowest', 'price', 'discount_price', 'loyal_price') }
    'catalog compare --newer-than' { return @('any') }
    'catalog compare --limit' { return @('any') }
    'catalog check --below' { return @('any') }
    'catalog check --above' { return @('any') }
    'catalog check --change' { return @('any') }
    'catalog check --since' { return @('any') }
    'catalog check --field' { return @('choices', 'lowest', 'price', 'discount_price', 'loyal_price', 'available_count') }
    'catalog check --store' { return @('stores') }
    'catalog check --source' { return @('sources') }
    'catalog check --max-age' { return @('any') }
    'catalog check --wait' { return @('any') }
    'catalog check --every' { return @('any') }
    'catalog categories list --parser-name' { return @('stores') }
    'catalog categories list --depth' { return @('any') }
    'catalog categories list --parent' { return @('any') }
    'catalog categories list --search' { return @('any') }
    'catalog categories list --limit' { return @('any') }
    'catalog categories list --offset' { return @('any') }
    'catalog categories list --param' { return @('any') }
    'catalog categories get --param' { return @('any') }
    'catalog categories tree --parser-name' { return @('stores') }
    'catalog categories tree --param' { return @('any') }
    'catalog settlements list --country' { return @('any') }
    'catalog settlements list --region' { return @('any') }
    'catalog settlements list --search' { return @('any') }
    'catalog settlements list --limit' { return @('any') }
    'catalog settlements list --offset' { return @('any') }
    'catalog settlements list --param' { return @('any') }
    'catalog settlements get --param' { return @('any') }
    'catalog cursors --parser-name' { return @('stores') }
    'catalog cursors --param' { return @('any') }
    'catalog health --param' { return @('any') }
    'trade accounts --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade accounts --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade positions --symbol' { return @('symbols') }
    'trade positions --account' { return @('accounts') }
    'trade positions --limit' { return @('any') }
    'trade positions --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade positions --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade orders --type' { return @('any') }
    'trade orders --symbol' { return @('symbols') }
    'trade orders --account' { return @('accounts') }
    'trade orders --limit' { return @('any') }
    'trade orders --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade orders --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade order get --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade order get --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade offers --symbol' { return @('symbols') }
    'trade offers --limit' { return @('any') }
    'trade offers --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade offers --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade quote --count' { return @('any') }
    'trade quote --wait' { return @('any') }
    'trade quote --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade quote --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade stream --until' { return @('any') }
    'trade stream --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade stream --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade watch --every' { return @('any') }
    'trade watch --until' { return @('any') }
    'trade watch --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade watch --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade candles --from' { return @('any') }
    'trade candles --to' { return @('any') }
    'trade candles --last' { return @('any') }
    'trade candles --price' { return @('choices', 'bid', 'ask', 'both', 'mid') }
    'trade candles --label' { return @('choices', 'raw', 'start', 'end') }
    'trade candles --width' { return @('any') }
    'trade candles --height' { return @('any') }
    'trade candles --svg' { return @('files') }
    'trade candles --out' { return @('files') }
    'trade candles --offer-id' { return @('any') }
    'trade candles --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade candles --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade model --limit' { return @('any') }
    'trade model --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade model --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade symbols list --visible' { return @('choices', 'true', 'false') }
    'trade symbols list --search' { return @('any') }
    'trade symbols list --limit' { return @('any') }
    'trade symbols list --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade symbols list --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade symbols info --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade symbols info --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade symbols show --temporary' { return @('any') }
    'trade symbols show --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade symbols show --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade symbols hide --temporary' { return @('any') }
    'trade symbols hide --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade symbols hide --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'trade buy --tif' { return @('choices', 'GTC', 'DAY', 'IOC', 'FOK') }
    'trade buy --stop' { return @('any') }
    'trade buy --limit' { return @('any') }
    'trade buy --trail' { return @('any') }
    'trade buy --range' { return @('any') }
    'trade buy --wait' { return @('any') }
    'trade buy --account' { return @('accounts') }
    'trade buy --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade sell --tif' { return @('choices', 'GTC', 'DAY', 'IOC', 'FOK') }
    'trade sell --stop' { return @('any') }
    'trade sell --limit' { return @('any') }
    'trade sell --trail' { return @('any') }
    'trade sell --range' { return @('any') }
    'trade sell --wait' { return @('any') }
    'trade sell --account' { return @('accounts') }
    'trade sell --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade entry buy --rate' { return @('any') }
    'trade entry buy --trail-entry' { return @('any') }
    'trade entry buy --tif' { return @('choices', 'GTC', 'DAY', 'IOC', 'FOK', 'GTD') }
    'trade entry buy --expires' { return @('any') }
    'trade entry buy --stop' { return @('any') }
    'trade entry buy --limit' { return @('any') }
    'trade entry buy --trail' { return @('any') }
    'trade entry buy --range' { return @('any') }
    'trade entry buy --wait' { return @('any') }
    'trade entry buy --account' { return @('accounts') }
    'trade entry buy --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade entry sell --rate' { return @('any') }
    'trade entry sell --trail-entry' { return @('any') }
    'trade entry sell --tif' { return @('choices', 'GTC', 'DAY', 'IOC', 'FOK', 'GTD') }
    'trade entry sell --expires' { return @('any') }
    'trade entry sell --stop' { return @('any') }
    'trade entry sell --limit' { return @('any') }
    'trade entry sell --trail' { return @('any') }
    'trade entry sell --range' { return @('any') }
    'trade entry sell --wait' { return @('any') }
    'trade entry sell --account' { return @('accounts') }
    'trade entry sell --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade close --amount' { return @('any') }
    'trade close --symbol' { return @('symbols') }
    'trade close --range' { return @('any') }
    'trade close --tif' { return @('choices', 'GTC', 'DAY', 'IOC', 'FOK') }
    'trade close --wait' { return @('any') }
    'trade close --account' { return @('accounts') }
    'trade close --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade position set --stop' { return @('any') }
    'trade position set --limit' { return @('any') }
    'trade position set --trail' { return @('any') }
    'trade position set --account' { return @('accounts') }
    'trade position set --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade order set --rate' { return @('any') }
    'trade order set --amount' { return @('any') }
    'trade order set --range' { return @('any') }
    'trade order set --trail-entry' { return @('any') }
    'trade order set --stop' { return @('any') }
    'trade order set --limit' { return @('any') }
    'trade order set --trail' { return @('any') }
    'trade order set --account' { return @('accounts') }
    'trade order set --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade order cancel --symbol' { return @('symbols') }
    'trade order cancel --account' { return @('accounts') }
    'trade order cancel --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade oco create --leg' { return @('any') }
    'trade oco create --tif' { return @('choices', 'GTC', 'DAY', 'IOC', 'FOK', 'GTD') }
    'trade oco create --expires' { return @('any') }
    'trade oco create --account' { return @('accounts') }
    'trade oco create --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade oco add --group' { return @('any') }
    'trade oco add --account' { return @('accounts') }
    'trade oco add --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade oco remove --account' { return @('accounts') }
    'trade oco remove --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade oco edit --add' { return @('orders') }
    'trade oco edit --remove' { return @('orders') }
    'trade oco edit --account' { return @('accounts') }
    'trade oco edit --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade batch --account' { return @('accounts') }
    'trade batch --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade hours --at' { return @('any') }
    'trade journal --limit' { return @('any') }
    'trade ping --count' { return @('any') }
    'trade ping --every' { return @('any') }
    'trade ping --transport' { return @('choices', 'auto', 'polling', 'websocket') }
    'trade ping --budget' { return @('choices', 'fail', 'wait', 'ignore') }
    'sandbox start --port' { return @('any') }
    'sandbox start --fast' { return @('any') }
    'sandbox start --trap' { return @('choices', 'mute-interval', 'sparse-alerts', 'error-200', 'lost-create', 'created-but-503', 'failed-create', 'lost-update', 'lost-delete', 'lost-test', 'rate-429', 'update-clears-events', 'other-editor', 'delete-not-ok', 'test-not-queued', 'no-log-item', 'disabled-mid-wait', 'ping-needs-listing', 'ignored-page', 'shifting-pages', 'other-issuer', 'other-method', 'secret-for-public', 'client-forgotten', 'web-by-default', 'one-method', 'basic-alone', 'basic-plain', 'other-state', 'token-500', 'lost-refresh', 'dropped-refresh', 'slow-refresh', 'kept-refresh-token', 'early-end', 'no-lifetime', 'hostile-text', 'database-down', 'hostile-catalog', 'moving-total', 'shifting-catalog', 'slow-catalog', 'wrong-shape', 'uneven-series', 'many-products', 'bad-token', 'sticky-nodes', 'no-websocket', 'drop-connection', 'ora-20301', 'accounts-path-404', 'slow-gateway', 'hostile-gateway', 'market-closed', 'partial-fills', 'fok-killed', 'push-before-answer', 'lost-order-answer', 'order-500', 'order-500-applied', 'executed-with-error', 'no-push', 'non-json-push', 'flood', 'duplicate-candles', 'from-to-ignored') }
    'sandbox run --port' { return @('any') }
    'sandbox run --fast' { return @('any') }
    'sandbox run --trap' { return @('choices', 'mute-interval', 'sparse-alerts', 'error-200', 'lost-create', 'created-but-503', 'failed-create', 'lost-update', 'lost-delete', 'lost-test', 'rate-429', 'update-clears-events', 'other-editor', 'delete-not-ok', 'test-not-queued', 'no-log-item', 'disabled-mid-wait', 'ping-needs-listing', 'ignored-page', 'shifting-pages', 'other-issuer', 'other-method', 'secret-for-public', 'client-forgotten', 'web-by-default', 'one-method', 'basic-alone', 'basic-plain', 'other-state', 'token-500', 'lost-refresh', 'dropped-refresh', 'slow-refresh', 'kept-refresh-token', 'early-end', 'no-lifetime', 'hostile-text', 'database-down', 'hostile-catalog', 'moving-total', 'shifting-catalog', 'slow-catalog', 'wrong-shape', 'uneven-series', 'many-products', 'bad-token', 'sticky-nodes', 'no-websocket', 'drop-connection', 'ora-20301', 'accounts-path-404', 'slow-gateway', 'hostile-gateway', 'market-closed', 'partial-fills', 'fok-killed', 'push-before-answer', 'lost-order-answer', 'order-500', 'order-500-applied', 'executed-with-error', 'no-push', 'non-json-push', 'flood', 'duplicate-candles', 'from-to-ignored') }
    'sandbox status --port' { return @('any') }
    'doctor --timeout' { return @('any') }
    'api --field' { return @('any') }
    'api -f' { return @('any') }
    'api --field-json' { return @('any') }
    'api --body' { return @('files') }
    'api --param' { return @('any') }
    'api -p' { return @('any') }
    'help --format' { return @('choices', 'text', 'json') }
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

# The kind of the operand "<place> <index>", and the choices where there are some.
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
    'webhooks get 0' { return @('subscriptions') }
    'webhooks update 0' { return @('subscriptions') }
    'webhooks enable 0' { return @('subscriptions') }
    'webhooks rotate 0' { return @('subscriptions') }
    'webhooks delete *' { return @('subscriptions') }
    'webhooks test 0' { return @('subscriptions') }
    'webhooks deliveries 0' { return @('subscriptions') }
    'webhooks doctor 0' { return @('subscriptions') }
    'webhooks verify *' { return @('files') }
    'webhooks sign 0' { return @('files') }
    'webhooks replay 0' { return @('files') }
    'webhooks show 0' { return @('files') }
    'webhooks secrets import 0' { return @('subscriptions') }
    'webhooks secrets export 0' { return @('subscriptions') }
    'webhooks secrets delete 0' { return @('subscriptions') }
    'catalog products get 0' { return @('products') }
    'catalog products sources 0' { return @('products') }
    'catalog products snapshots 0' { return @('products') }
    'catalog products dynamics 0' { return @('products') }
    'catalog history 0' { return @('products') }
    'catalog compare *' { return @('products') }
    'catalog check 0' { return @('products') }
    'trade order get 0' { return @('orders') }
    'trade quote *' { return @('symbols') }
    'trade candles 0' { return @('symbols') }
    'trade symbols info 0' { return @('symbols') }
    'trade symbols show *' { return @('symbols') }
    'trade symbols hide *' { return @('symbols') }
    'trade buy 0' { return @('symbols') }
    'trade sell 0' { return @('symbols') }
    'trade entry buy 0' { return @('symbols') }
    'trade entry sell 0' { return @('symbols') }
    'trade close *' { return @('trades') }
    'trade position set 0' { return @('trades') }
    'trade order set 0' { return @('orders') }
    'trade order cancel *' { return @('orders') }
    'trade oco create 0' { return @('symbols') }
    'trade oco add *' { return @('orders') }
    'trade oco remove *' { return @('orders') }
    'trade batch 0' { return @('files') }
    'config get 0' { return @('settings') }
    'config set 0' { return @('settings') }
    'config unset 0' { return @('settings') }
    'config use 0' { return @('profiles') }
    'doctor *' { return @('choices', 'alerts', 'webhooks', 'catalog', 'trade') }
    'api 0' { return @('choices', 'alerts', 'webhooks', 'catalog', 'trade') }
    'api 1' { return @('choices', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE') }
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
      'webhooks Subscribe to recording events; check, receive and send deliveries'
      'oauth Sign in to the recording service'
      'catalog Products, prices and their history'
      'trade Trade: accounts, prices, candles, and orders placed exactly once'
      'config Settings and profiles'
      'sandbox The services on this machine, to try svc on'
      'completion Complete svc with <Tab> in your shell'
      'doctor Look for what keeps svc from working, and say what to do'
      'api Send any request to a service, and print its answer'
      'help Help on a command or a topic'
    ) }
    'help' { return @(
      'alerts See what fires, and send alerts'
      'silences Mute alerts safely, and end it'
      'webhooks Subscribe to recording events; check, receive and send deliveries'
      'oauth Sign in to the recording service'
      'catalog Products, prices and their history'
      'trade Trade: accounts, prices, candles, and orders placed exactly once'
      'config Settings and profiles'
      'sandbox The services on this machine, to try svc on'
      'completion Complete svc with <Tab> in your shell'
      'doctor Look for what keeps svc from working, and say what to do'
      'api Send any request to a service, and print its answer'
      'exit-codes What the exit status says'
      'environment Variables that svc reads'
      'output Formats, and what chooses what is printed'
      'times How points in time and durations are written'
      'matchers How alerts are chosen by their labels'
    ) }
    'alerts' { return @(
      'list List alerts, active ones unless told otherwise'
      'get Show one alert and what suppresses it: silences, alerts, time intervals'
      'groups List alerts as the server groups them for its receivers'
      'check Exit 0 if the number of matching alerts is acceptable, 1 if not'
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
      'extend Extend silences'
      'keepalive Extend acknowledgements while their alerts fire (for cron)'
      'recreate Create expired silences again'
      'expire End silences now'
      'export Write silences out, for import here or elsewhere'
      'import Bring silences from a file to the server'
    ) }
    'webhooks' { return @(
      'list List the subscriptions of the account'
      'get Show one subscription'
      'create Subscribe an HTTPS address to events'
      'update Change the address or the events of a subscription'
      'enable Bring a disabled subscription back, with another address'
      'rotate Give a receiver a new secret, without a gap'
      'delete Delete subscriptions for good'
      'test Send a test event, and see whether it arrives'
      'deliveries What was delivered to a subscription, and what was not'
      'samples Events as the service sends them, to try a receiver with'
      'doctor Look for what keeps events from arriving, and say what to do'
      'verify Check the signatures of deliveries, and say why one does not match'
      'listen Receive deliveries on this machine: verify, record, forward them'
      'sign Sign a body as the service would'
      'send Send a signed event to a receiver, as the service would'
      'replay Send recorded deliveries again, byte for byte'
      'check-receiver Probe a receiver with good and bad deliveries'
      'show Show an event to read: who, what, the summaries and the transcript'
      'secrets '
    ) }
    'webhooks secrets' { return @(
      'list List the endpoints whose signing secrets svc keeps'
      'import Keep the signing secret of an endpoint, for --endpoint'
      'export Print a signing secret, for a receiver that needs it'
      'delete Forget a signing secret'
    ) }
    'oauth' { return @(
      'login Sign in to the recording service, by browser or with a personal token'
      'status Whether you are signed in, and until when'
      'token Print the access token, for a script'
      'refresh Get a new access token now'
      'logout Delete the stored login'
      'clients '
      'discovery Show what the service says of its own sign-in'
    ) }
    'oauth clients' { return @(
      'list List the clients registered from here'
      'register Register a client at the recording service'
      'forget Delete a client registration from this machine'
    ) }
    'catalog' { return @(
      'products '
      'history How the price of a product moved, at each place that sells it'
      'compare What products cost now at each place, who is cheapest, and by how much'
      'check Test a price: 0 if the condition holds, 1 if not, 11 if it is not known'
      'categories '
      'settlements '
      'cursors How far the catalog has read each store'
      'health Ask the catalog whether it can read its data'
    ) }
    'catalog products' { return @(
      'list List and search products'
      'get Show one product'
      'sources Where a product is sold, and for how much'
      'snapshots What was observed of a product, and when'
      'dynamics The values of one source over time, as the service gives them'
      'count Count the products of stores and regions'
      'common Count the products that all stores, or all regions, have in common'
    ) }
    'catalog categories' { return @(
      'list List the categories of the stores'
      'get Show one category'
      'tree Show the categories of each store below each other'
    ) }
    'catalog settlements' { return @(
      'list List the places where products are sold'
      'get Show one settlement'
    ) }
    'trade' { return @(
      'accounts List the accounts that the token may trade with'
      'positions List positions: open ones, closed ones, or one line a symbol'
      'orders List the orders that stand'
      'order '
      'offers List what is offered now, with its prices'
      'quote Show the price of symbols now, as the next tick brings it'
      'stream Print prices and changes of tables as they are pushed, and drop none'
      'watch Follow positions, orders, accounts or prices as they change'
      'candles Read candles of any period and stretch of time, to the screen or a file'
      'model Show the rows of any table as they are'
      'symbols '
      'buy Buy at the price of now'
      'sell Sell at the price of now'
      'entry '
      'close Close trades, all of a symbol, or everything'
      'position '
      'oco '
      'batch Send the orders of a file in one session'
      'hours Whether forex is traded now, and when it opens and closes next'
      'limits Show the caps on calls with what is used of them, and the limits of candles'
      'journal List what was sent to trade from this machine, and what became of it'
      'login Keep the API token of the trading gateway'
      'logout Delete the stored API token'
      'status Whether there is a token for the trading gateway, and where it comes from'
      'ping Whether the trading gateway answers, how fast, and over what'
    ) }
    'trade order' { return @(
      'get Show one order that stands'
      'set Change an order that waits'
      'cancel Cancel orders that wait'
    ) }
    'trade symbols' { return @(
      'list List the symbols that the gateway has, shown by the account or not'
      'info Show all that is known of one symbol: id, pip, sizes, margin, prices'
      'show Show symbols in the account''s offers, so that they have prices'
      'hide Hide symbols from the account''s offers'
    ) }
    'trade entry' { return @(
      'buy Buy as soon as there is a price'
      'sell Sell as soon as there is a price'
    ) }
    'trade position' { return @(
      'set Set the stop and the limit of an open trade'
    ) }
    'trade oco' { return @(
      'create Place two orders of which one cancels the other'
      'add Put orders that wait into a group of which one cancels the others'
      'remove Take orders out of their group'
      'edit Change which orders are in a group'
    ) }
    'trade journal' { return @(
      'settle Find out what became of requests whose outcome is unknown'
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
      'status Show whether a sandbox runs, where, and what its services hold'
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
      'show Show one alert and what suppresses it: silences, alerts, time intervals'
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
    'webhooks' { return @(
      'ls List the subscriptions of the account'
      'rm Delete subscriptions for good'
      'log What was delivered to a subscription, and what was not'
      'trigger Send a signed event to a receiver, as the service would'
    ) }
    'catalog' { return @(
      'chart How the price of a product moved, at each place that sells it'
    ) }
    'catalog products' { return @(
      'ls List and search products'
    ) }
    'catalog categories' { return @(
      'ls List the categories of the stores'
    ) }
    'catalog settlements' { return @(
      'ls List the places where products are sold'
    ) }
    'trade symbols' { return @(
      'ls List the symbols that the gateway has, shown by the account or not'
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
  if (@('help') -ccontains $Place) {
    @(
      '--format Text to read, or data'
    )
  }
  if (@('alerts list') -ccontains $Place) {
    @(
      '--state Only alerts in this state; muted is by a time interval, suppressed is any of silenced, inhibited and muted (default active)'
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
      '--state Only alerts in this state; muted is by a time interval, suppressed is any of silenced, inhibited and muted (default active)'
      '--all Alerts in every state'
      '-a Alerts in every state'
      '--receiver Only groups of receivers whose whole name matches'
      '-r Only groups of receivers whose whole name matches'
      '--limit At most so many groups'
    )
  }
  if (@('alerts check') -ccontains $Place) {
    @(
      '--min Require at least this many'
      '--max Allow at most this many'
      '--allow-missing Accept matchers with a name that no alert has, even if it looks mistyped'
      '--expect Require at least one, for an alert that always fires'
      '--state Count alerts in this state; muted is by a time interval, suppressed is any of silenced, inhibited and muted (default active)'
      '--all Count alerts in every state'
      '-a Count alerts in every state'
      '--receiver Count only alerts routed to receivers whose whole name matches'
      '-r Count only alerts routed to receivers whose whole name matches'
      '--older-than Count only alerts that started longer ago'
      '--wait Check again until the condition is true, for at most this long'
      '--stable With --wait: the condition must stay true for this long'
      '--interval With --wait: time between two checks (default 5s)'
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
      '--comment Why (required)'
      '-c Why (required)'
      '--author Who (default: setting alerts.author, or user@host)'
      '--from-alert Matchers from the labels of this alert, besides those given'
      '--drop With --from-alert: leave this label out'
      '--ensure Only if none of the same matchers covers the time; a shorter one is extended'
      '--max-alerts Refuse to mute more alerts than this'
      '--file Silences as JSON, one or an array, - for standard input; one with an id is an update'
      '-f Silences as JSON, one or an array, - for standard input; one with an id is an update'
      '--all-alerts Allow silences that no matcher limits to a definite value'
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
      '--by One silence for each group with the same values of these labels, such as alertname,cluster'
      '--all-alerts Allow silences that no matcher limits to a definite value'
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
      '--if-unavailable If the alert manager is unavailable: run the command without a silence, or fail'
      '--pass-env Leave this SVC_*_TOKEN, SVC_*_PASSWORD or SVC_WEBHOOK_SECRET in the environment of the command'
      '--all-alerts Allow silences that no matcher limits to a definite value'
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
      '--all-alerts Allow silences that no matcher limits to a definite value'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('silences extend') -ccontains $Place) {
    @(
      '--by How much later than they would end now'
      '--max How long each may last in all, from its start'
      '--all-alerts Allow silences that no matcher limits to a definite value'
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
      '--all-alerts Allow silences that no matcher limits to a definite value'
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
      '--all-alerts Allow silences that no matcher limits to a definite value'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks list') -ccontains $Place) {
    @(
      '--status Only those of this state'
      '--url-contains Only those whose address holds this'
      '--limit At most so many'
    )
  }
  if (@('webhooks create') -ccontains $Place) {
    @(
      '--event Types of events to send there'
      '--no-events Of no type yet: nothing is delivered'
      '--secret-file Write the secret to this new file, mode 600'
      '--secret-fd Write the secret to this descriptor'
      '--store Keep the secret for --endpoint (the default at a terminal)'
      '--show-secret Print the secret'
      '--allow-duplicate Even if a subscription of this address is there'
      '--recover Where the answer is lost on the way, delete what was created and create it again'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks update') -ccontains $Place) {
    @(
      '--url Another address'
      '--add-event Send events of these types, too'
      '--remove-event Send no more events of these types'
      '--set-event Send events of these types and no others'
      '--clear-events Send no events at all'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks enable') -ccontains $Place) {
    @(
      '--url Its new address'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks rotate') -ccontains $Place) {
    @(
      '--wait How long the test may take'
      '--keep-old Do not delete the old one'
      '--secret-file Write the secret to this new file, mode 600'
      '--secret-fd Write the secret to this descriptor'
      '--store Keep the secret for --endpoint (the default at a terminal)'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks delete') -ccontains $Place) {
    @(
      '--disabled All that are disabled'
      '--ignore-missing A subscription that is not there is no failure'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks test') -ccontains $Place) {
    @(
      '--wait Watch what becomes of it, at most so long'
      '--poll How often to look'
      '--force Even to a subscription that is disabled'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks deliveries') -ccontains $Place) {
    @(
      '--page This page alone (default 1)'
      '--page-size Deliveries a page (default 20)'
      '--all All pages'
      '--max-pages Read at most so many'
      '--status Only those of this state'
      '--event Only events of these types'
      '--event-id Only this event'
      '--error Only those whose latest error holds this'
      '--since Only those created since then'
      '--limit At most so many'
      '--follow Show what changes from now on'
      '-f Show what changes from now on'
      '--until With --follow: until this event is delivered or has failed; without --since it is found only among the newest 100 and those that come, and else waited for without end'
      '--wait With --follow: at most so long'
    )
  }
  if (@('webhooks samples') -ccontains $Place) {
    @(
      '--event Only events of these types'
      '--limit At most so many (the service sends 3)'
      '--save Write each into a new file there, mode 600'
    )
  }
  if (@('webhooks doctor') -ccontains $Place) {
    @(
      '--fix Forget the kept secrets of subscriptions that are gone'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks verify') -ccontains $Place) {
    @(
      '--format What the inputs are'
      '--timestamp The timestamp header, as it was received'
      '--signature The signature header, as it was received'
      '--header A header as it was received'
      '--headers-file Headers as they were received: lines of Name: value, or JSON'
      '--header-prefix What the names of the service''s headers begin with'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
      '--key-derivation The key: the text of the secret, or what follows whsec_ base64-decoded (Standard Webhooks)'
      '--tolerance How far a timestamp may be from the clock, in both directions; none to ignore it'
      '--ignore-timestamp Same as --tolerance none'
      '--now Check as if it were this time'
      '--received-at When they were received, whatever a recording says'
      '--extract Print the exact body of one delivery if it is valid, and nothing if not'
      '--fail-fast Stop at the first that is not valid'
      '--show-expected Show the right signature too: within the tolerance it is a forgery'
      '--no-hints Do not search for the cause of a mismatch'
    )
  }
  if (@('webhooks listen') -ccontains $Place) {
    @(
      '--port Port to listen on, 0 for a free one'
      '--host Address to listen on; others reach any but loopback'
      '--path Path that takes deliveries'
      '--tls-cert Certificate chain (PEM) to speak TLS with'
      '--tls-key Its key (PEM)'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
      '--tolerance How far a timestamp may be from the clock, in both directions; none to ignore it'
      '--insecure-no-verify Take everything as valid: anybody can send events then'
      '--forward-to Hand valid deliveries on to this address'
      '--forward-timeout How long its answer may take'
      '--forward-external It may be on another machine'
      '--forward-all-headers Hand on all end-to-end headers, not the five documented ones only'
      '--forward-duplicates Hand on events that were accepted before, too'
      '--insecure-forward-tls Do not check its certificate'
      '--ack Answer after the target has, or 202 at once, for one that is slow'
      '--respond Answer to a valid delivery'
      '--on-invalid Answer to an invalid one'
      '--event Only events of these types'
      '--dedupe Tell repeated events by their id'
      '--dedupe-file Know repeated events again after a restart: keep them in this file'
      '--record Write what comes to this new file (NDJSON)'
      '--append With --record: continue a file that is there'
      '--max-body Longest body that is taken'
      '--show-body Show the bodies of valid deliveries'
      '--show-invalid Show the bodies of invalid ones'
      '--count End after so many accepted events'
      '--until-event End after an accepted event of one of these types or ids'
      '--wait End after this time'
      '--fail-on-invalid End at the first invalid delivery'
      '--keep-going Go on however many in a row are invalid'
      '--ready-file Write port, url and pid (JSON) here while it listens'
    )
  }
  if (@('webhooks sign') -ccontains $Place) {
    @(
      '--timestamp When it is signed: a time, or Unix seconds (default now)'
      '--as What is printed; else headers, or the fields of json where -o json or another option wants fields'
      '--to With --as curl or http: where the request goes'
      '--event The event type header, whatever the body says'
      '--delivery The delivery id header'
      '--header-prefix What the names of the service''s headers begin with'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
    )
  }
  if (@('webhooks send') -ccontains $Place) {
    @(
      '--to Where the receiver is; quote an address that holds "&"'
      '--event The event type (default webhook.ping); of several, one event each'
      '--body The exact bytes to send, - for standard input'
      '--set Set a field of the made-up event: data.title=Hello'
      '--id The event id'
      '--size The size of the body, such as 2MiB: of a summary.completed event'
      '--repeat Send each so many times'
      '--new-id A new event each time, not the same again'
      '--concurrency How many at once'
      '--skew Sign with a clock that is wrong by this: -1h, +10m'
      '--tamper What to change after signing; the header is that of the event type'
      '--deadline How long to wait for an answer'
      '--insecure Do not check the certificate of the receiver'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks replay') -ccontains $Place) {
    @(
      '--to Where the receiver is; quote an address that holds "&"'
      '--format What the file is'
      '--resign Sign each again when it is sent; needs a secret'
      '--resign-unproven With --resign: forgeries, too, which it makes valid'
      '--only-failed Only those that were answered or forwarded without a 2xx'
      '--event-id Only this event'
      '--event Only events of these types'
      '--since Only those received since then'
      '--until Only those received until then'
      '--limit Send no more than this'
      '--rate No more than this: 10/s, 30/m'
      '--concurrency How many at once'
      '--deadline How long to wait for an answer'
      '--insecure Do not check the certificate of the receiver'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks check-receiver') -ccontains $Place) {
    @(
      '--only Only this probe'
      '--junit Write a report in JUnit form, for CI'
      '--insecure Do not check the certificate of the receiver'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks show') -ccontains $Place) {
    @(
      '--event-id Of several events only this one'
      '--full Texts to their end'
      '--unverified Show what is in a delivery whose signature is not good, too'
      '--header-prefix What the names of the service''s headers begin with'
      '--endpoint Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)'
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
    )
  }
  if (@('webhooks secrets import') -ccontains $Place) {
    @(
      '--secret-file File that holds a signing secret'
      '--secret-env Variable that holds a signing secret'
      '--secret-fd Descriptor to read a signing secret from'
      '--against Keep it only if it signed at least one delivery in this file'
      '--header-prefix What the names of the service''s headers begin with'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('webhooks secrets export') -ccontains $Place) {
    @(
      '--force Print it on a terminal all the same'
    )
  }
  if (@('webhooks secrets delete') -ccontains $Place) {
    @(
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('oauth login') -ccontains $Place) {
    @(
      '--port Port to wait at (default: as registered, or any)'
      '--no-browser Open no browser, only print the address'
      '--paste Also take the address that the browser ends at from standard input'
      '--wait How long to wait for the person'
      '--auth-method How the client proves itself to the service (default: none, or what the service offers)'
      '--client-name What the service calls the client (default svc)'
      '--new-client Register a new client although one is stored'
      '--client-id Use this client of the service, and register none'
      '--client-secret-file File with the secret of --client-id ("-": stdin)'
      '--scope Scopes to ask for, separated by spaces (default mcp:connect)'
      '--token-stdin Keep a personal token: piped in, or typed and not shown'
      '--expires-in-days The lifetime that the personal token was made with'
    )
  }
  if (@('oauth status') -ccontains $Place) {
    @(
      '--check Make one cheap call, to see whether the service agrees'
    )
  }
  if (@('oauth token') -ccontains $Place) {
    @(
      '--force Print it on a terminal, too'
    )
  }
  if (@('oauth clients register') -ccontains $Place) {
    @(
      '--auth-method How the client proves itself to the service (default: none, or what the service offers)'
      '--client-name What the service calls the client (default svc)'
      '--redirect-uri Where browsers may be sent back to'
      '--secret-file Write the secret to this new file, mode 600'
      '--secret-fd Write the secret to this descriptor'
      '--store Keep the client for svc oauth login (the default at a terminal)'
      '--show-secret Print the secret'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('oauth clients forget') -ccontains $Place) {
    @(
      '--issuer Which one, where several services gave the same id'
      '--force Forget it although a login needs it'
    )
  }
  if (@('catalog products list') -ccontains $Place) {
    @(
      '--search Part of the title or the brand; % and _ are wildcards (undocumented)'
      '--brand The whole brand, in either case (undocumented)'
      '--parser-name Sold by this store, written exactly so (undocumented)'
      '--category In this category (undocumented)'
      '--settlement Sold in this settlement (undocumented)'
      '--promo Promoted, or not (undocumented)'
      '--new New, or not (undocumented)'
      '--hit A hit, or not (undocumented)'
      '--adult For adults, or not (undocumented)'
      '--price-min From this price on (undocumented)'
      '--price-max Up to this price (undocumented)'
      '--order In which order the service lists (undocumented)'
      '--limit At most so many, 100 a request (undocumented)'
      '--offset Without the first so many (undocumented)'
      '--all All of them, 100 a request (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog products get') -ccontains $Place) {
    @(
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog products sources') -ccontains $Place) {
    @(
      '--order In which order the service lists (undocumented)'
      '--limit At most so many, 100 a request (undocumented)'
      '--offset Without the first so many (undocumented)'
      '--all All of them, 100 a request (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog products snapshots') -ccontains $Place) {
    @(
      '--parser-name Of this store (undocumented)'
      '--source-id Of this source (undocumented)'
      '--order In which order the service lists (undocumented)'
      '--limit At most so many, 100 a request (undocumented)'
      '--offset Without the first so many (undocumented)'
      '--all All of them, 100 a request (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog products dynamics') -ccontains $Place) {
    @(
      '--parser-name The store of the source'
      '--source-id The source in that store'
      '--field Which of its values'
      '--from The first point: -30d, 2026-02-01'
      '--to Until when (default now)'
      '--interval How far the points are apart'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog products count') -ccontains $Place) {
    @(
      '--store Of this store, by its parser_name'
      '--region In this region, normalized or as it is written'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog products common') -ccontains $Place) {
    @(
      '--scope What is compared'
      '--store Of this store, by its parser_name'
      '--region In this region, normalized or as it is written'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog history') -ccontains $Place) {
    @(
      '--field Which of its values'
      '--store Only sources of this store (parser_name)'
      '--source Only this source (source_id)'
      '--from The first point: -90d, 2026-02-01 (default -30d)'
      '--to Until when (default now)'
      '--interval How far points are apart'
      '--fill What stands where nothing was observed'
      '--width Columns of the chart (default the terminal, or 80)'
      '--height Lines of the chart (default 15)'
      '--ascii Draw with ASCII characters only'
      '--sparkline Draw one line for each series, and nothing else'
      '--svg Write the chart to a file too, or with - print it alone'
      '--force With --svg: replace the file if it is there'
    )
  }
  if (@('catalog compare') -ccontains $Place) {
    @(
      '--search Instead of ids: the products that the service finds (undocumented)'
      '--max-products With --search: so many of them at most (10 unless given)'
      '--by What a row is'
      '--store Only offers of this store (parser_name)'
      '--region Only offers in this region'
      '--field Which price is compared'
      '--newer-than Only prices that were observed since'
      '--trend Show how each price moved in 30 days: reads the snapshots of each product'
      '--limit At most so many rows'
    )
  }
  if (@('catalog check') -ccontains $Place) {
    @(
      '--below It holds if the price is lower'
      '--above It holds if the price is higher'
      '--change It holds if the price moved so far: 10%, +10%, -10%'
      '--since With --change: compare with the value in effect then (default 1d ago)'
      '--field Which value is judged: lowest unless given, with --change price'
      '--store Only sources of this store (parser_name)'
      '--source Only this source (source_id)'
      '--any It holds if it does for one offer'
      '--all It holds only if it does for every offer'
      '--max-age Older values are not current (7d unless given)'
      '--wait Check again until it holds, for so long'
      '--every With --wait: time between two checks (5m unless given)'
    )
  }
  if (@('catalog categories list') -ccontains $Place) {
    @(
      '--parser-name Of this store (undocumented)'
      '--depth So deep in the tree (undocumented)'
      '--parent Right below this one (undocumented)'
      '--search Part of the title (undocumented)'
      '--limit At most so many, 100 a request (undocumented)'
      '--offset Without the first so many (undocumented)'
      '--all All of them, 100 a request (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog categories get') -ccontains $Place) {
    @(
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog categories tree') -ccontains $Place) {
    @(
      '--parser-name Of this store (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog settlements list') -ccontains $Place) {
    @(
      '--country In this country, written exactly so (undocumented)'
      '--region In this region, written exactly so (undocumented)'
      '--search Part of the name (undocumented)'
      '--limit At most so many, 100 a request (undocumented)'
      '--offset Without the first so many (undocumented)'
      '--all All of them, 100 a request (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog settlements get') -ccontains $Place) {
    @(
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog cursors') -ccontains $Place) {
    @(
      '--parser-name Of this store (undocumented)'
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('catalog health') -ccontains $Place) {
    @(
      '--param Any other parameter, sent as it is'
    )
  }
  if (@('trade accounts') -ccontains $Place) {
    @(
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade positions') -ccontains $Place) {
    @(
      '--closed Those that were closed'
      '--summary Open ones, summed up for each symbol'
      '--symbol Only those of this symbol'
      '--account Only those of this account'
      '--limit At most so many'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade orders') -ccontains $Place) {
    @(
      '--type Only those of this type, as SE or LE'
      '--symbol Only those of this symbol'
      '--account Only those of this account'
      '--limit At most so many'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade order get') -ccontains $Place) {
    @(
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade offers') -ccontains $Place) {
    @(
      '--symbol Only those of this symbol'
      '--limit At most so many'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade quote') -ccontains $Place) {
    @(
      '--count Ticks of each symbol'
      '--wait How long to wait for them'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade stream') -ccontains $Place) {
    @(
      '--snapshot First the rows there are: a look at each table, which may count towards a cap'
      '--until End after so many pushes (100), or after this time (5m)'
      '--no-reconnect End where the connection is lost, instead of connecting again'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade watch') -ccontains $Place) {
    @(
      '--every The shortest time between two looks'
      '--until End after so many pushes (100), or after this time (5m)'
      '--no-reconnect End where the connection is lost, instead of connecting again'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade candles') -ccontains $Place) {
    @(
      '--from From the oldest one: 2026-01-01, 30d'
      '--to Candles before this time (default now)'
      '--last Instead of --from: the newest n (default 100)'
      '--price Which prices'
      '--label Which time a candle carries'
      '--include-partial With the candle that is not over yet'
      '--gaps List the gaps instead of the candles'
      '--fail-on-gap Exit status 1 where candles are missing'
      '--chart Draw where they close (of both sides the middle)'
      '--width Columns of the chart (default the terminal, or 80)'
      '--height Lines of the chart (default 15)'
      '--ascii Draw with ASCII characters only'
      '--svg Write the chart to a file too, or with - print it alone'
      '--out Write them to a .csv, .ndjson or .json file'
      '--resume With --out: go on with a file that was begun'
      '--force With --out or --svg: replace the file if it is there'
      '--offer-id Its id at this host, so that it is not looked up'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade model') -ccontains $Place) {
    @(
      '--limit At most so many'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade symbols list') -ccontains $Place) {
    @(
      '--visible Only those that the account shows, or does not'
      '--search Only those whose name holds this, in any case'
      '--limit At most so many'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade symbols info') -ccontains $Place) {
    @(
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
    )
  }
  if (@('trade symbols show') -ccontains $Place) {
    @(
      '--temporary Only for so long, or until Ctrl-C: then what was changed is changed back'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade symbols hide') -ccontains $Place) {
    @(
      '--temporary Only for so long, or until Ctrl-C: then what was changed is changed back'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade buy') -ccontains $Place) {
    @(
      '--tif How long it holds: GTC unless told, and with --range IOC'
      '--stop Where it is closed at a loss: 40pips, without a sign, or a price'
      '--limit Where it is closed with a profit: 80pips, or a price'
      '--trail The stop follows the price: dynamic, or in steps of n, which is 10 or more'
      '--range How far from its rate it may be filled'
      '--wait Wait so long until it is filled, and show every trade of it'
      '--require-open Exit status 1, and nothing sent, unless there is a market now'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--preview Connect, show what would be sent and what speaks against it, and send nothing'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade sell') -ccontains $Place) {
    @(
      '--tif How long it holds: GTC unless told, and with --range IOC'
      '--stop Where it is closed at a loss: 40pips, without a sign, or a price'
      '--limit Where it is closed with a profit: 80pips, or a price'
      '--trail The stop follows the price: dynamic, or in steps of n, which is 10 or more'
      '--range How far from its rate it may be filled'
      '--wait Wait so long until it is filled, and show every trade of it'
      '--require-open Exit status 1, and nothing sent, unless there is a market now'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--preview Connect, show what would be sent and what speaks against it, and send nothing'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade entry buy') -ccontains $Place) {
    @(
      '--rate The price it waits for'
      '--trail-entry The entry itself follows the price, as a stop does with --trail'
      '--tif How long it holds: GTC unless told'
      '--expires When it ends, to the minute; it holds GTD then'
      '--stop Where it is closed at a loss: 40pips, without a sign, or a price'
      '--limit Where it is closed with a profit: 80pips, or a price'
      '--trail The stop follows the price: dynamic, or in steps of n, which is 10 or more'
      '--range How far from its rate it may be filled'
      '--wait Wait so long until it is filled, and show every trade of it'
      '--require-open Exit status 1, and nothing sent, unless there is a market now'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--preview Connect, show what would be sent and what speaks against it, and send nothing'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade entry sell') -ccontains $Place) {
    @(
      '--rate The price it waits for'
      '--trail-entry The entry itself follows the price, as a stop does with --trail'
      '--tif How long it holds: GTC unless told'
      '--expires When it ends, to the minute; it holds GTD then'
      '--stop Where it is closed at a loss: 40pips, without a sign, or a price'
      '--limit Where it is closed with a profit: 80pips, or a price'
      '--trail The stop follows the price: dynamic, or in steps of n, which is 10 or more'
      '--range How far from its rate it may be filled'
      '--wait Wait so long until it is filled, and show every trade of it'
      '--require-open Exit status 1, and nothing sent, unless there is a market now'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--preview Connect, show what would be sent and what speaks against it, and send nothing'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade close') -ccontains $Place) {
    @(
      '--amount Only so much of the trade: thousands of forex, contracts of anything else'
      '--symbol Everything of this symbol in the account'
      '--everything Everything that the account has open; its id has to be typed'
      '--range How far from the price of now it may be closed'
      '--tif How long the closing order holds: GTC unless told, and with --range IOC'
      '--via-opposite In an account that does not hedge: by an order of the other side, without being asked'
      '--wait Wait so long until it is closed, and show what was closed at which rate'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade position set') -ccontains $Place) {
    @(
      '--stop Where it is closed at a loss: 40pips, without a sign, a price, or none'
      '--limit Where it is closed with a profit: 80pips, a price, or none'
      '--trail The stop follows the price: dynamic, or in steps of 10 or more'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade order set') -ccontains $Place) {
    @(
      '--rate The price it waits for'
      '--amount Thousands of forex, contracts of anything else'
      '--range How far from its rate it may be filled'
      '--trail-entry The entry itself follows the price'
      '--stop Where it is closed at a loss: 40pips, without a sign, or a price'
      '--limit Where it is closed with a profit: 80pips, or a price'
      '--trail The stop follows the price: dynamic, or in steps of 10 or more'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade order cancel') -ccontains $Place) {
    @(
      '--all All entry orders of the account, or with --symbol those of a symbol'
      '--symbol With --all: only those of this symbol'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade oco create') -ccontains $Place) {
    @(
      '--leg One of the two orders: its side and price; stop, limit, trail and trail-entry, as entry orders have them'
      '--tif How long both orders hold'
      '--expires When both end, to the minute; they hold GTD then'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade oco add') -ccontains $Place) {
    @(
      '--group The group, as svc trade orders -o wide shows it; without it a new one'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade oco remove') -ccontains $Place) {
    @(
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade oco edit') -ccontains $Place) {
    @(
      '--add An order that joins the group'
      '--remove An order that leaves it'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade batch') -ccontains $Place) {
    @(
      '--keep-going Go on after a request that was refused'
      '--account The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)'
      '--transport What carries the session'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('trade hours') -ccontains $Place) {
    @(
      '--at At this time instead of now'
      '--require-open Exit status 1 unless it is open'
    )
  }
  if (@('trade limits') -ccontains $Place) {
    @(
      '--reset Forget what was counted'
    )
  }
  if (@('trade journal') -ccontains $Place) {
    @(
      '--open Only those whose outcome is unknown'
      '--all-gateways Also what was sent to other addresses'
      '--limit At most so many'
    )
  }
  if (@('trade login') -ccontains $Place) {
    @(
      '--token-stdin Take it from standard input'
    )
  }
  if (@('trade status') -ccontains $Place) {
    @(
      '--check Open a session, to see whether the gateway takes it'
    )
  }
  if (@('trade ping') -ccontains $Place) {
    @(
      '--count How often to ask'
      '--every How long to wait in between'
      '--transport What carries the session'
      '--budget What to do where the cap on calls of a command is used up'
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
      '--port Port of the alert manager, which the other services follow; 0 for free ones'
      '--fast Divide the times until a delivery is sent, and sent again, between two prices, and the lives of tokens, by this'
      '--auto-approve Let whoever signs in to the recording service in, without a page'
      '--trap Switch on a trap of a service'
      '--no-loopback-receivers Refuse receivers on this machine and by http, as the real service does'
    )
  }
  if (@('sandbox run') -ccontains $Place) {
    @(
      '--empty Start without the sample data'
      '--port Port of the alert manager, which the other services follow; 0 for free ones'
      '--fast Divide the times until a delivery is sent, and sent again, between two prices, and the lives of tokens, by this'
      '--auto-approve Let whoever signs in to the recording service in, without a page'
      '--trap Switch on a trap of a service'
      '--no-loopback-receivers Refuse receivers on this machine and by http, as the real service does'
    )
  }
  if (@('sandbox status') -ccontains $Place) {
    @(
      '--env Print the environment to use instead'
      '--port Only the one whose alert manager is at this port'
    )
  }
  if (@('doctor') -ccontains $Place) {
    @(
      '--offline Look at this machine alone'
      '--timeout Longest time for one service'
    )
  }
  if (@('api') -ccontains $Place) {
    @(
      '--field A field of the body'
      '-f A field of the body'
      '--field-json A field that is no text'
      '--body The body as it is, from a file, or - for stdin'
      '--param A parameter of the query'
      '-p A parameter of the query'
      '--include Print status and headers, too'
      '-i Print status and headers, too'
      '--dry-run Print the request (or a curl line) instead of sending it'
      '--yes Do not ask for confirmation'
      '-y Do not ask for confirmation'
    )
  }
  if (@('', 'alerts', 'silences', 'webhooks', 'oauth', 'catalog', 'trade', 'alerts list', 'alerts get', 'alerts groups', 'alerts check', 'alerts create', 'alerts resolve', 'alerts receivers', 'alerts status', 'silences list', 'silences get', 'silences create', 'silences ack', 'silences run', 'silences update', 'silences extend', 'silences keepalive', 'silences recreate', 'silences expire', 'silences export', 'silences import', 'webhooks list', 'webhooks get', 'webhooks create', 'webhooks update', 'webhooks enable', 'webhooks rotate', 'webhooks delete', 'webhooks test', 'webhooks deliveries', 'webhooks samples', 'webhooks doctor', 'oauth login', 'oauth status', 'oauth token', 'oauth refresh', 'oauth logout', 'oauth clients register', 'oauth discovery', 'catalog products list', 'catalog products get', 'catalog products sources', 'catalog products snapshots', 'catalog products dynamics', 'catalog products count', 'catalog products common', 'catalog history', 'catalog compare', 'catalog check', 'catalog categories list', 'catalog categories get', 'catalog categories tree', 'catalog settlements list', 'catalog settlements get', 'catalog cursors', 'catalog health', 'trade accounts', 'trade positions', 'trade orders', 'trade order get', 'trade offers', 'trade quote', 'trade stream', 'trade watch', 'trade candles', 'trade model', 'trade symbols list', 'trade symbols info', 'trade symbols show', 'trade symbols hide', 'trade buy', 'trade sell', 'trade entry buy', 'trade entry sell', 'trade close', 'trade position set', 'trade order set', 'trade order cancel', 'trade oco create', 'trade oco add', 'trade oco remove', 'trade oco edit', 'trade batch', 'trade limits', 'trade journal', 'trade journal settle', 'trade login', 'trade logout', 'trade status', 'trade ping', 'api') -ccontains $Place) {
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
      '--sort Sort a list by a column or field, - for descending; the first key takes precedence'
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
