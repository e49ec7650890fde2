# bash completion for svc, made from the declarations of its commands by: svc completion bash

# Goes from the place $at to where the word $1 leads.
__svc_enter() {
  case "$at $1" in
    ' alerts' | 'help alerts') at='alerts' ;;
    ' silences' | 'help silences') at='silences' ;;
    ' webhooks' | 'help webhooks') at='webhooks' ;;
    ' oauth' | 'help oauth') at='oauth' ;;
    ' catalog' | 'help catalog') at='catalog' ;;
    ' trade' | 'help trade') at='trade' ;;
    ' config' | 'help config') at='config' ;;
    ' sandbox' | 'help sandbox') at='sandbox' ;;
    ' completion' | 'help completion') at='completion' ;;
    ' doctor' | 'help doctor') at='doctor' ;;
    ' api' | 'help api') at='api' ;;
    'alerts list' | 'alerts ls' | 'alerts query') at='alerts list' ;;
    'alerts get' | 'alerts show') at='alerts get' ;;
    'alerts groups') at='alerts groups' ;;
    'alerts check') at='alerts check' ;;
    'alerts create' | 'alerts add') at='alerts create' ;;
    'alerts resolve') at='alerts resolve' ;;
    'alerts receivers') at='alerts receivers' ;;
    'alerts status') at='alerts status' ;;
    'silences list' | 'silences ls' | 'silences query') at='silences list' ;;
    'silences get' | 'silences show') at='silences get' ;;
    'silences create' | 'silences add') at='silences create' ;;
    'silences ack') at='silences ack' ;;
    'silences run') at='silences run' ;;
    'silences update') at='silences update' ;;
    'silences extend') at='silences extend' ;;
    'silences keepalive') at='silences keepalive' ;;
    'silences recreate') at='silences recreate' ;;
    'silences expire' | 'silences delete' | 'silences rm') at='silences expire' ;;
    'silences export') at='silences export' ;;
    'silences import') at='silences import' ;;
    'webhooks list' | 'webhooks ls') at='webhooks list' ;;
    'webhooks get') at='webhooks get' ;;
    'webhooks create') at='webhooks create' ;;
    'webhooks update') at='webhooks update' ;;
    'webhooks enable') at='webhooks enable' ;;
    'webhooks rotate') at='webhooks rotate' ;;
    'webhooks delete' | 'webhooks rm') at='webhooks delete' ;;
    'webhooks test') at='webhooks test' ;;
    'webhooks deliveries' | 'webhooks log') at='webhooks deliveries' ;;
    'webhooks samples') at='webhooks samples' ;;
    'webhooks doctor') at='webhooks doctor' ;;
    'webhooks verify') at='webhooks verify' ;;
    'webhooks listen') at='webhooks listen' ;;
    'webhooks sign') at='webhooks sign' ;;
    'webhooks send' | 'webhooks trigger') at='webhooks send' ;;
    'webhooks replay') at='webhooks replay' ;;
    'webhooks check-receiver') at='webhooks check-receiver' ;;
    'webhooks show') at='webhooks show' ;;
    'webhooks secrets') at='webhooks secrets' ;;
    'webhooks secrets list') at='webhooks secrets list' ;;
    'webhooks secrets import') at='webhooks secrets import' ;;
    'webhooks secrets export') at='webhooks secrets export' ;;
    'webhooks secrets delete') at='webhooks secrets delete' ;;
    'oauth login') at='oauth login' ;;
    'oauth status') at='oauth status' ;;
    'oauth token') at='oauth token' ;;
    'oauth refresh') at='oauth refresh' ;;
    'oauth logout') at='oauth logout' ;;
    'oauth clients') at='oauth clients' ;;
    'oauth clients list') at='oauth clients list' ;;
    'oauth clients register') at='oauth clients register' ;;
    'oauth clients forget') at='oauth clients forget' ;;
    'oauth discovery') at='oauth discovery' ;;
    'catalog products') at='catalog products' ;;
    'catalog products list' | 'catalog products ls') at='catalog products list' ;;
    'catalog products get') at='catalog products get' ;;
    'catalog products sources') at='catalog products sources' ;;
    'catalog products snapshots') at='catalog products snapshots' ;;
    'catalog products dynamics') at='catalog products dynamics' ;;
    'catalog products count') at='catalog products count' ;;
    'catalog products common') at='catalog products common' ;;
    'catalog history' | 'catalog chart') at='catalog history' ;;
    'catalog compare') at='catalog compare' ;;
    'catalog check') at='catalog check' ;;
    'catalog categories') at='catalog categories' ;;
    'catalog categories list' | 'catalog categories ls') at='catalog categories list' ;;
    'catalog categories get') at='catalog categories get' ;;
    'catalog categories tree') at='catalog categories tree' ;;
    'catalog settlements') at='catalog settlements' ;;
    'catalog settlements list' | 'catalog settlements ls') at='catalog settlements list' ;;
    'catalog settlements get') at='catalog settlements get' ;;
    'catalog cursors') at='catalog cursors' ;;
    'catalog health') at='catalog health' ;;
    'trade accounts') at='trade accounts' ;;
    'trade positions') at='trade positions' ;;
    'trade orders') at='trade orders' ;;
    'trade order') at='trade order' ;;
    'trade order get') at='trade order get' ;;
    'trade offers') at='trade offers' ;;
    'trade quote') at='trade quote' ;;
    'trade stream') at='trade stream' ;;
    'trade watch') at='trade watch' ;;
    'trade candles') at='trade candles' ;;
    'trade model') at='trade model' ;;
    'trade symbols') at='trade symbols' ;;
    'trade symbols list' | 'trade symbols ls') at='trade symbols list' ;;
    'trade symbols info') at='trade symbols info' ;;
    'trade symbols show') at='trade symbols show' ;;
    'trade symbols hide') at='trade symbols hide' ;;
    'trade buy') at='trade buy' ;;
    'trade sell') at='trade sell' ;;
    'trade entry') at='trade entry' ;;
    'trade entry buy') at='trade entry buy' ;;
    'trade entry sell') at='trade entry sell' ;;
    'trade close') at='trade close' ;;
    'trade position') at='trade position' ;;
    'trade position set') at='trade position set' ;;
    'trade order set') at='trade order set' ;;
    'trade order cancel') at='trade order cancel' ;;
    'trade oco') at='trade oco' ;;
    'trade oco create') at='trade oco create' ;;
    'trade oco add') at='trade oco add' ;;
    'trade oco remove') at='trade oco remove' ;;
    'trade oco edit') at='trade oco edit' ;;
    'trade batch') at='trade batch' ;;
    'trade hours') at='trade hours' ;;
    'trade limits') at='trade limits' ;;
    'trade journal') at='trade journal' ;;
    'trade journal settle') at='trade journal settle' ;;
    'trade login') at='trade login' ;;
    'trade logout') at='trade logout' ;;
    'trade status') at='trade status' ;;
    'trade ping') at='trade ping' ;;
    'config list') at='config list' ;;
    'config get') at='config get' ;;
    'config set') at='config set' ;;
    'config unset' | 'config rm') at='config unset' ;;
    'config path') at='config path' ;;
    'config edit') at='config edit' ;;
    'config profiles') at='config profiles' ;;
    'config use') at='config use' ;;
    'sandbox start') at='sandbox start' ;;
    'sandbox run') at='sandbox run' ;;
    'sandbox status') at='sandbox status' ;;
    'completion bash') at='completion bash' ;;
    'completion zsh') at='completion zsh' ;;
    'completion fish') at='completion fish' ;;
    'completion powershell') at='completion powershell' ;;
    ' help') at='help' ;;
    *) return 1 ;;
  esac
}

# What the option $1 takes: sets kind, and choices where there are some.
__svc_value() {
  case "$at $1" in
    'alerts list --state') kind=choices choices=('active' 'silenced' 'inhibited' 'muted' 'suppressed' 'unprocessed') ;;
    'alerts list --receiver' | 'alerts list -r') kind=receivers ;;
    'alerts list --older-than') kind=any ;;
    'alerts list --newer-than') kind=any ;;
    'alerts list --limit') kind=any ;;
    'alerts list --group-by') kind=any ;;
    'alerts list --count-by') kind=any ;;
    'alerts list --watch') kind=attached choices=() ;;
    'alerts groups --state') kind=choices choices=('active' 'silenced' 'inhibited' 'muted' 'suppressed') ;;
    'alerts groups --receiver' | 'alerts groups -r') kind=receivers ;;
    'alerts groups --limit') kind=any ;;
    'alerts check --min') kind=any ;;
    'alerts check --max') kind=any ;;
    'alerts check --state') kind=choices choices=('active' 'silenced' 'inhibited' 'muted' 'suppressed') ;;
    'alerts check --receiver' | 'alerts check -r') kind=receivers ;;
    'alerts check --older-than') kind=any ;;
    'alerts check --wait') kind=any ;;
    'alerts check --stable') kind=any ;;
    'alerts check --interval') kind=any ;;
    'alerts create --annotation') kind=any ;;
    'alerts create --generator-url') kind=any ;;
    'alerts create --start') kind=any ;;
    'alerts create --end') kind=any ;;
    'alerts create --for' | 'alerts create -d') kind=any ;;
    'alerts create --file' | 'alerts create -f') kind=files ;;
    'alerts status --wait-ready') kind=any ;;
    'silences list --state') kind=choices choices=('active' 'pending' 'expired') ;;
    'silences list --within') kind=any ;;
    'silences list --created-by') kind=any ;;
    'silences list --comment') kind=any ;;
    'silences list --for-alert') kind=fingerprints ;;
    'silences list --matching') kind=any ;;
    'silences list --limit') kind=any ;;
    'silences create --for' | 'silences create -d') kind=any ;;
    'silences create --until') kind=any ;;
    'silences create --from') kind=any ;;
    'silences create --comment' | 'silences create -c') kind=any ;;
    'silences create --author') kind=any ;;
    'silences create --from-alert') kind=fingerprints ;;
    'silences create --drop') kind=any ;;
    'silences create --max-alerts') kind=any ;;
    'silences create --file' | 'silences create -f') kind=files ;;
    'silences ack --for' | 'silences ack -d') kind=any ;;
    'silences ack --comment' | 'silences ack -c') kind=any ;;
    'silences ack --author') kind=any ;;
    'silences ack --by') kind=any ;;
    'silences run --comment' | 'silences run -c') kind=any ;;
    'silences run --author') kind=any ;;
    'silences run --ttl') kind=any ;;
    'silences run --grace') kind=any ;;
    'silences run --if-unavailable') kind=choices choices=('run' 'fail') ;;
    'silences run --pass-env') kind=any ;;
    'silences update --for' | 'silences update -d') kind=any ;;
    'silences update --until') kind=any ;;
    'silences update --extend') kind=any ;;
    'silences update --from') kind=any ;;
    'silences update --comment' | 'silences update -c') kind=any ;;
    'silences update --author') kind=any ;;
    'silences update --matcher' | 'silences update -m') kind=any ;;
    'silences extend --by') kind=any ;;
    'silences extend --max') kind=any ;;
    'silences keepalive --prefix') kind=any ;;
    'silences keepalive --if-within') kind=any ;;
    'silences keepalive --by') kind=any ;;
    'silences keepalive --max') kind=any ;;
    'silences recreate --for' | 'silences recreate -d') kind=any ;;
    'silences expire --created-by') kind=any ;;
    'silences expire --comment') kind=any ;;
    'silences expire --for-alert') kind=fingerprints ;;
    'silences expire --matching') kind=any ;;
    'silences expire --concurrency') kind=any ;;
    'silences export --state') kind=choices choices=('active' 'pending' 'expired') ;;
    'silences export --within') kind=any ;;
    'silences export --created-by') kind=any ;;
    'silences export --comment') kind=any ;;
    'silences export --for-alert') kind=fingerprints ;;
    'silences export --matching') kind=any ;;
    'silences import --on-conflict') kind=choices choices=('skip' 'extend' 'duplicate') ;;
    'silences import --concurrency') kind=any ;;
    'webhooks list --status') kind=choices choices=('active' 'disabled') ;;
    'webhooks list --url-contains') kind=any ;;
    'webhooks list --limit') kind=any ;;
    'webhooks create --event') kind=any ;;
    'webhooks create --secret-file') kind=files ;;
    'webhooks create --secret-fd') kind=any ;;
    'webhooks update --url') kind=any ;;
    'webhooks update --add-event') kind=any ;;
    'webhooks update --remove-event') kind=any ;;
    'webhooks update --set-event') kind=any ;;
    'webhooks enable --url') kind=any ;;
    'webhooks rotate --wait') kind=any ;;
    'webhooks rotate --secret-file') kind=files ;;
    'webhooks rotate --secret-fd') kind=any ;;
    'webhooks test --wait') kind=any ;;
    'webhooks test --poll') kind=any ;;
    'webhooks deliveries --page') kind=any ;;
    'webhooks deliveries --page-size') kind=any ;;
    'webhooks deliveries --max-pages') kind=any ;;
    'webhooks deliveries --status') kind=choices choices=('pending' 'delivered' 'failed') ;;
    'webhooks deliveries --event') kind=any ;;
    'webhooks deliveries --event-id') kind=any ;;
    'webhooks deliveries --error') kind=any ;;
    'webhooks deliveries --since') kind=any ;;
    'webhooks deliveries --limit') kind=any ;;
    'webhooks deliveries --until') kind=any ;;
    'webhooks deliveries --wait') kind=any ;;
    'webhooks samples --event') kind=any ;;
    'webhooks samples --limit') kind=any ;;
    'webhooks samples --save') kind=files ;;
    'webhooks verify --format') kind=choices choices=('auto' 'body' 'http' 'har' 'curl' 'trace' 'json' 'ndjson') ;;
    'webhooks verify --timestamp') kind=any ;;
    'webhooks verify --signature') kind=any ;;
    'webhooks verify --header') kind=any ;;
    'webhooks verify --headers-file') kind=files ;;
    'webhooks verify --header-prefix') kind=any ;;
    'webhooks verify --endpoint') kind=subscriptions ;;
    'webhooks verify --secret-file') kind=files ;;
    'webhooks verify --secret-env') kind=any ;;
    'webhooks verify --secret-fd') kind=any ;;
    'webhooks verify --key-derivation') kind=choices choices=('raw' 'std') ;;
    'webhooks verify --tolerance') kind=any ;;
    'webhooks verify --now') kind=any ;;
    'webhooks verify --received-at') kind=any ;;
    'webhooks listen --port') kind=any ;;
    'webhooks listen --host') kind=any ;;
    'webhooks listen --path') kind=any ;;
    'webhooks listen --tls-cert') kind=files ;;
    'webhooks listen --tls-key') kind=files ;;
    'webhooks listen --endpoint') kind=subscriptions ;;
    'webhooks listen --secret-file') kind=files ;;
    'webhooks listen --secret-env') kind=any ;;
    'webhooks listen --secret-fd') kind=any ;;
    'webhooks listen --tolerance') kind=any ;;
    'webhooks listen --forward-to') kind=any ;;
    'webhooks listen --forward-timeout') kind=any ;;
    'webhooks listen --ack') kind=choices choices=('after' 'early') ;;
    'webhooks listen --respond') kind=any ;;
    'webhooks listen --on-invalid') kind=choices choices=('401' '202') ;;
    'webhooks listen --event') kind=any ;;
    'webhooks listen --dedupe') kind=choices choices=('id' 'off') ;;
    'webhooks listen --dedupe-file') kind=files ;;
    'webhooks listen --record') kind=files ;;
    'webhooks listen --max-body') kind=any ;;
    'webhooks listen --count') kind=any ;;
    'webhooks listen --until-event') kind=any ;;
    'webhooks listen --wait') kind=any ;;
    'webhooks listen --ready-file') kind=files ;;
    'webhooks sign --timestamp') kind=any ;;
    'webhooks sign --as') kind=choices choices=('headers' 'signature' 'curl' 'http' 'json') ;;
    'webhooks sign --to') kind=any ;;
    'webhooks sign --event') kind=any ;;
    'webhooks sign --delivery') kind=any ;;
    'webhooks sign --header-prefix') kind=any ;;
    'webhooks sign --endpoint') kind=subscriptions ;;
    'webhooks sign --secret-file') kind=files ;;
    'webhooks sign --secret-env') kind=any ;;
    'webhooks sign --secret-fd') kind=any ;;
    'webhooks send --to') kind=any ;;
    'webhooks send --event') kind=any ;;
    'webhooks send --body') kind=files ;;
    'webhooks send --set') kind=any ;;
    'webhooks send --id') kind=any ;;
    'webhooks send --size') kind=any ;;
    'webhooks send --repeat') kind=any ;;
    'webhooks send --concurrency') kind=any ;;
    'webhooks send --skew') kind=any ;;
    'webhooks send --tamper') kind=choices choices=('none' 'body' 'signature' 'timestamp' 'header') ;;
    'webhooks send --deadline') kind=any ;;
    'webhooks send --endpoint') kind=subscriptions ;;
    'webhooks send --secret-file') kind=files ;;
    'webhooks send --secret-env') kind=any ;;
    'webhooks send --secret-fd') kind=any ;;
    'webhooks replay --to') kind=any ;;
    'webhooks replay --format') kind=choices choices=('auto' 'body' 'http' 'har' 'curl' 'trace' 'json' 'ndjson') ;;
    'webhooks replay --event-id') kind=any ;;
    'webhooks replay --event') kind=any ;;
    'webhooks replay --since') kind=any ;;
    'webhooks replay --until') kind=any ;;
    'webhooks replay --limit') kind=any ;;
    'webhooks replay --rate') kind=any ;;
    'webhooks replay --concurrency') kind=any ;;
    'webhooks replay --deadline') kind=any ;;
    'webhooks replay --endpoint') kind=subscriptions ;;
    'webhooks replay --secret-file') kind=files ;;
    'webhooks replay --secret-env') kind=any ;;
    'webhooks replay --secret-fd') kind=any ;;
    'webhooks check-receiver --only') kind=choices choices=('valid-ping' 'valid-summary' 'minimal-event' 'optional-fields' 'summary-formats' 'time-formats' 'unknown-type' 'unknown-fields' 'same-event-twice' 'body-blanks' 'body-trimming' 'body-numbers' 'body-escapes' 'body-key-order' 'body-duplicate-keys' 'not-utf8' 'body-1-mib' 'large-body' 'bad-signature' 'signature-empty' 'signature-short' 'no-redirect' 'signature-prefix' 'signature-input' 'truncated-transcript' 'signature-truncated' 'signature-long' 'signature-upper-case' 'signature-base64' 'missing-signature' 'missing-timestamp' 'type-mismatch' 'stale-timestamp' 'future-timestamp' 'shifted-dot' 'malformed-json') ;;
    'webhooks check-receiver --junit') kind=files ;;
    'webhooks check-receiver --endpoint') kind=subscriptions ;;
    'webhooks check-receiver --secret-file') kind=files ;;
    'webhooks check-receiver --secret-env') kind=any ;;
    'webhooks check-receiver --secret-fd') kind=any ;;
    'webhooks show --event-id') kind=any ;;
    'webhooks show --header-prefix') kind=any ;;
    'webhooks show --endpoint') kind=subscriptions ;;
    'webhooks show --secret-file') kind=files ;;
    'webhooks show --secret-env') kind=any ;;
    'webhooks show --secret-fd') kind=any ;;
    'webhooks secrets import --secret-file') kind=files ;;
    'webhooks secrets import --secret-env') kind=any ;;
    'webhooks secrets import --secret-fd') kind=any ;;
    'webhooks secrets import --against') kind=files ;;
    'webhooks secrets import --header-prefix') kind=any ;;
    'oauth login --port') kind=any ;;
    'oauth login --wait') kind=any ;;
    'oauth login --auth-method') kind=choices choices=('none' 'client_secret_basic' 'client_secret_post') ;;
    'oauth login --client-name') kind=any ;;
    'oauth login --client-id') kind=any ;;
    'oauth login --client-secret-file') kind=any ;;
    'oauth login --scope') kind=any ;;
    'oauth login --expires-in-days') kind=any ;;
    'oauth clients register --auth-method') kind=choices choices=('none' 'client_secret_basic' 'client_secret_post') ;;
    'oauth clients register --client-name') kind=any ;;
    'oauth clients register --redirect-uri') kind=any ;;
    'oauth clients register --secret-file') kind=files ;;
    'oauth clients register --secret-fd') kind=any ;;
    'oauth clients forget --issuer') kind=any ;;
    'catalog products list --search') kind=any ;;
    'catalog products list --brand') kind=any ;;
    'catalog products list --parser-name') kind=stores ;;
    'catalog products list --category') kind=any ;;
    'catalog products list --settlement') kind=any ;;
    'catalog products list --promo') kind=choices choices=('true' 'false') ;;
    'catalog products list --new') kind=choices choices=('true' 'false') ;;
    'catalog products list --hit') kind=choices choices=('true' 'false') ;;
    'catalog products list --adult') kind=choices choices=('true' 'false') ;;
    'catalog products list --price-min') kind=any ;;
    'catalog products list --price-max') kind=any ;;
    'catalog products list --order') kind=choices choices=('observed_at_desc' 'observed_at_asc' 'price_asc' 'price_desc' 'rating_desc') ;;
    'catalog products list --limit') kind=any ;;
    'catalog products list --offset') kind=any ;;
    'catalog products list --param') kind=any ;;
    'catalog products get --param') kind=any ;;
    'catalog products sources --order') kind=choices choices=('observed_at_desc' 'observed_at_asc') ;;
    'catalog products sources --limit') kind=any ;;
    'catalog products sources --offset') kind=any ;;
    'catalog products sources --param') kind=any ;;
    'catalog products snapshots --parser-name') kind=stores ;;
    'catalog products snapshots --source-id') kind=sources ;;
    'catalog products snapshots --order') kind=choices choices=('observed_at_desc' 'observed_at_asc') ;;
    'catalog products snapshots --limit') kind=any ;;
    'catalog products snapshots --offset') kind=any ;;
    'catalog products snapshots --param') kind=any ;;
    'catalog products dynamics --parser-name') kind=stores ;;
    'catalog products dynamics --source-id') kind=sources ;;
    'catalog products dynamics --field') kind=choices choices=('price' 'discount_price' 'loyal_price' 'available_count') ;;
    'catalog products dynamics --from') kind=any ;;
    'catalog products dynamics --to') kind=any ;;
    'catalog products dynamics --interval') kind=choices choices=('1h' '6h' '1d' '7d') ;;
    'catalog products dynamics --param') kind=any ;;
    'catalog products count --store') kind=stores ;;
    'catalog products count --region') kind=any ;;
    'catalog products count --param') kind=any ;;
    'catalog products common --scope') kind=choices choices=('stores' 'regions') ;;
    'catalog products common --store') kind=stores ;;
    'catalog products common --region') kind=any ;;
    'catalog products common --param') kind=any ;;
    'catalog history --field') kind=choices choices=('price' 'discount_price' 'loyal_price' 'available_count') ;;
    'catalog history --store') kind=stores ;;
    'catalog history --source') kind=sources ;;
    'catalog history --from') kind=any ;;
    'catalog history --to') kind=any ;;
    'catalog history --interval') kind=choices choices=('auto' '1h' '6h' '1d' '7d') ;;
    'catalog history --fill') kind=choices choices=('none' 'last') ;;
    'catalog history --width') kind=any ;;
    'catalog history --height') kind=any ;;
    'catalog history --svg') kind=files ;;
    'catalog compare --search') kind=any ;;
    'catalog compare --max-products') kind=any ;;
    'catalog compare --by') kind=choices choices=('source' 'store' 'region') ;;
    'catalog compare --store') kind=stores ;;
    'catalog compare --region') kind=any ;;
    'catalog compare --field') kind=choices choices=('lowest' 'price' 'discount_price' 'loyal_price') ;;
    'catalog compare --newer-than') kind=any ;;
    'catalog compare --limit') kind=any ;;
    'catalog check --below') kind=any ;;
    'catalog check --above') kind=any ;;
    'catalog check --change') kind=any ;;
    'catalog check --since') kind=any ;;
    'catalog check --field') kind=choices choices=('lowest' 'price' 'discount_price' 'loyal_price' 'available_count') ;;
    'catalog check --store') kind=stores ;;
    'catalog check --source') kind=sources ;;
    'catalog check --max-age') kind=any ;;
    'catalog check --wait') kind=any ;;
    'catalog check --every') kind=any ;;
    'catalog categories list --parser-name') kind=stores ;;
    'catalog categories list --depth') kind=any ;;
    'catalog categories list --parent') kind=any ;;
    'catalog categories list --search') kind=any ;;
    'catalog categories list --limit') kind=any ;;
    'catalog categories list --offset') kind=any ;;
    'catalog categories list --param') kind=any ;;
    'catalog categories get --param') kind=any ;;
    'catalog categories tree --parser-name') kind=stores ;;
    'catalog categories tree --param') kind=any ;;
    'catalog settlements list --country') kind=any ;;
    'catalog settlements list --region') kind=any ;;
    'catalog settlements list --search') kind=any ;;
    'catalog settlements list --limit') kind=any ;;
    'catalog settlements list --offset') kind=any ;;
    'catalog settlements list --param') kind=any ;;
    'catalog settlements get --param') kind=any ;;
    'catalog cursors --parser-name') kind=stores ;;
    'catalog cursors --param') kind=any ;;
    'catalog health --param') kind=any ;;
    'trade accounts --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade accounts --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade positions --symbol') kind=symbols ;;
    'trade positions --account') kind=accounts ;;
    'trade positions --limit') kind=any ;;
    'trade positions --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade positions --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade orders --type') kind=any ;;
    'trade orders --symbol') kind=symbols ;;
    'trade orders --account') kind=accounts ;;
    'trade orders --limit') kind=any ;;
    'trade orders --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade orders --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade order get --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade order get --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade offers --symbol') kind=symbols ;;
    'trade offers --limit') kind=any ;;
    'trade offers --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade offers --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade quote --count') kind=any ;;
    'trade quote --wait') kind=any ;;
    'trade quote --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade quote --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade stream --until') kind=any ;;
    'trade stream --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade stream --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade watch --every') kind=any ;;
    'trade watch --until') kind=any ;;
    'trade watch --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade watch --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade candles --from') kind=any ;;
    'trade candles --to') kind=any ;;
    'trade candles --last') kind=any ;;
    'trade candles --price') kind=choices choices=('bid' 'ask' 'both' 'mid') ;;
    'trade candles --label') kind=choices choices=('raw' 'start' 'end') ;;
    'trade candles --width') kind=any ;;
    'trade candles --height') kind=any ;;
    'trade candles --svg') kind=files ;;
    'trade candles --out') kind=files ;;
    'trade candles --offer-id') kind=any ;;
    'trade candles --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade candles --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade model --limit') kind=any ;;
    'trade model --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade model --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade symbols list --visible') kind=choices choices=('true' 'false') ;;
    'trade symbols list --search') kind=any ;;
    'trade symbols list --limit') kind=any ;;
    'trade symbols list --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade symbols list --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade symbols info --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade symbols info --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade symbols show --temporary') kind=any ;;
    'trade symbols show --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade symbols show --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade symbols hide --temporary') kind=any ;;
    'trade symbols hide --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade symbols hide --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'trade buy --tif') kind=choices choices=('GTC' 'DAY' 'IOC' 'FOK') ;;
    'trade buy --stop') kind=any ;;
    'trade buy --limit') kind=any ;;
    'trade buy --trail') kind=any ;;
    'trade buy --range') kind=any ;;
    'trade buy --wait') kind=any ;;
    'trade buy --account') kind=accounts ;;
    'trade buy --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade sell --tif') kind=choices choices=('GTC' 'DAY' 'IOC' 'FOK') ;;
    'trade sell --stop') kind=any ;;
    'trade sell --limit') kind=any ;;
    'trade sell --trail') kind=any ;;
    'trade sell --range') kind=any ;;
    'trade sell --wait') kind=any ;;
    'trade sell --account') kind=accounts ;;
    'trade sell --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade entry buy --rate') kind=any ;;
    'trade entry buy --trail-entry') kind=any ;;
    'trade entry buy --tif') kind=choices choices=('GTC' 'DAY' 'IOC' 'FOK' 'GTD') ;;
    'trade entry buy --expires') kind=any ;;
    'trade entry buy --stop') kind=any ;;
    'trade entry buy --limit') kind=any ;;
    'trade entry buy --trail') kind=any ;;
    'trade entry buy --range') kind=any ;;
    'trade entry buy --wait') kind=any ;;
    'trade entry buy --account') kind=accounts ;;
    'trade entry buy --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade entry sell --rate') kind=any ;;
    'trade entry sell --trail-entry') kind=any ;;
    'trade entry sell --tif') kind=choices choices=('GTC' 'DAY' 'IOC' 'FOK' 'GTD') ;;
    'trade entry sell --expires') kind=any ;;
    'trade entry sell --stop') kind=any ;;
    'trade entry sell --limit') kind=any ;;
    'trade entry sell --trail') kind=any ;;
    'trade entry sell --range') kind=any ;;
    'trade entry sell --wait') kind=any ;;
    'trade entry sell --account') kind=accounts ;;
    'trade entry sell --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade close --amount') kind=any ;;
    'trade close --symbol') kind=symbols ;;
    'trade close --range') kind=any ;;
    'trade close --tif') kind=choices choices=('GTC' 'DAY' 'IOC' 'FOK') ;;
    'trade close --wait') kind=any ;;
    'trade close --account') kind=accounts ;;
    'trade close --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade position set --stop') kind=any ;;
    'trade position set --limit') kind=any ;;
    'trade position set --trail') kind=any ;;
    'trade position set --account') kind=accounts ;;
    'trade position set --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade order set --rate') kind=any ;;
    'trade order set --amount') kind=any ;;
    'trade order set --range') kind=any ;;
    'trade order set --trail-entry') kind=any ;;
    'trade order set --stop') kind=any ;;
    'trade order set --limit') kind=any ;;
    'trade order set --trail') kind=any ;;
    'trade order set --account') kind=accounts ;;
    'trade order set --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade order cancel --symbol') kind=symbols ;;
    'trade order cancel --account') kind=accounts ;;
    'trade order cancel --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade oco create --leg') kind=any ;;
    'trade oco create --tif') kind=choices choices=('GTC' 'DAY' 'IOC' 'FOK' 'GTD') ;;
    'trade oco create --expires') kind=any ;;
    'trade oco create --account') kind=accounts ;;
    'trade oco create --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade oco add --group') kind=any ;;
    'trade oco add --account') kind=accounts ;;
    'trade oco add --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade oco remove --account') kind=accounts ;;
    'trade oco remove --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade oco edit --add') kind=orders ;;
    'trade oco edit --remove') kind=orders ;;
    'trade oco edit --account') kind=accounts ;;
    'trade oco edit --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade batch --account') kind=accounts ;;
    'trade batch --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade hours --at') kind=any ;;
    'trade journal --limit') kind=any ;;
    'trade ping --count') kind=any ;;
    'trade ping --every') kind=any ;;
    'trade ping --transport') kind=choices choices=('auto' 'polling' 'websocket') ;;
    'trade ping --budget') kind=choices choices=('fail' 'wait' 'ignore') ;;
    'sandbox start --port') kind=any ;;
    'sandbox start --fast') kind=any ;;
    'sandbox start --trap') kind=choices choices=('mute-interval' 'sparse-alerts' 'error-200' 'lost-create' 'created-but-503' 'failed-create' 'lost-update' 'lost-delete' 'lost-test' 'rate-429' 'update-clears-events' 'other-editor' 'delete-not-ok' 'test-not-queued' 'no-log-item' 'disabled-mid-wait' 'ping-needs-listing' 'ignored-page' 'shifting-pages' 'other-issuer' 'other-method' 'secret-for-public' 'client-forgotten' 'web-by-default' 'one-method' 'basic-alone' 'basic-plain' 'other-state' 'token-500' 'lost-refresh' 'dropped-refresh' 'slow-refresh' 'kept-refresh-token' 'early-end' 'no-lifetime' 'hostile-text' 'database-down' 'hostile-catalog' 'moving-total' 'shifting-catalog' 'slow-catalog' 'wrong-shape' 'uneven-series' 'many-products' 'bad-token' 'sticky-nodes' 'no-websocket' 'drop-connection' 'ora-20301' 'accounts-path-404' 'slow-gateway' 'hostile-gateway' 'market-closed' 'partial-fills' 'fok-killed' 'push-before-answer' 'lost-order-answer' 'order-500' 'order-500-applied' 'executed-with-error' 'no-push' 'non-json-push' 'flood' 'duplicate-candles' 'from-to-ignored') ;;
    'sandbox run --port') kind=any ;;
    'sandbox run --fast') kind=any ;;
    'sandbox run --trap') kind=choices choices=('mute-interval' 'sparse-alerts' 'error-200' 'lost-create' 'created-but-503' 'failed-create' 'lost-update' 'lost-delete' 'lost-test' 'rate-429' 'update-clears-events' 'other-editor' 'delete-not-ok' 'test-not-queued' 'no-log-item' 'disabled-mid-wait' 'ping-needs-listing' 'ignored-page' 'shifting-pages' 'other-issuer' 'other-method' 'secret-for-public' 'client-forgotten' 'web-by-default' 'one-method' 'basic-alone' 'basic-plain' 'other-state' 'token-500' 'lost-refresh' 'dropped-refresh' 'slow-refresh' 'kept-refresh-token' 'early-end' 'no-lifetime' 'hostile-text' 'database-down' 'hostile-catalog' 'moving-total' 'shifting-catalog' 'slow-catalog' 'wrong-shape' 'uneven-series' 'many-products' 'bad-token' 'sticky-nodes' 'no-websocket' 'drop-connection' 'ora-20301' 'accounts-path-404' 'slow-gateway' 'hostile-gateway' 'market-closed' 'partial-fills' 'fok-killed' 'push-before-answer' 'lost-order-answer' 'order-500' 'order-500-applied' 'executed-with-error' 'no-push' 'non-json-push' 'flood' 'duplicate-candles' 'from-to-ignored') ;;
    'sandbox status --port') kind=any ;;
    'doctor --timeout') kind=any ;;
    'api --field' | 'api -f') kind=any ;;
    'api --field-json') kind=any ;;
    'api --body') kind=files ;;
    'api --param' | 'api -p') kind=any ;;
    'help --format') kind=choices choices=('text' 'json') ;;
    *' --dry-run') kind=attached choices=('curl') ;;
    *' --base-url') kind=any ;;
    *' --timeout') kind=any ;;
    *' --header') kind=any ;;
    *' --header-file') kind=files ;;
    *' --cacert') kind=files ;;
    *' --cert') kind=files ;;
    *' --key') kind=files ;;
    *' --output' | *' -o') kind=choices choices=('table' 'wide' 'json' 'ndjson' 'csv' 'tsv' 'yaml' 'id') ;;
    *' --fields') kind=any ;;
    *' --query') kind=any ;;
    *' --columns') kind=any ;;
    *' --sort') kind=any ;;
    *' --time') kind=choices choices=('relative' 'utc' 'local' 'iso') ;;
    *' --color') kind=choices choices=('auto' 'always' 'never') ;;
    *' --profile') kind=profiles ;;
    *) return 1 ;;
  esac
}

# What stands at the place $at as operand number $1: sets kind, and choices where there are some.
__svc_operand() {
  case "$at $1" in
    'alerts get 0') kind=fingerprints ;;
    'alerts resolve '*) kind=fingerprints ;;
    'silences get 0') kind=silences ;;
    'silences ack '*) kind=fingerprints ;;
    'silences update 0') kind=silences ;;
    'silences extend '*) kind=silences ;;
    'silences recreate '*) kind=silences ;;
    'silences expire '*) kind=silences ;;
    'silences import 0') kind=files ;;
    'webhooks get 0') kind=subscriptions ;;
    'webhooks update 0') kind=subscriptions ;;
    'webhooks enable 0') kind=subscriptions ;;
    'webhooks rotate 0') kind=subscriptions ;;
    'webhooks delete '*) kind=subscriptions ;;
    'webhooks test 0') kind=subscriptions ;;
    'webhooks deliveries 0') kind=subscriptions ;;
    'webhooks doctor 0') kind=subscriptions ;;
    'webhooks verify '*) kind=files ;;
    'webhooks sign 0') kind=files ;;
    'webhooks replay 0') kind=files ;;
    'webhooks show 0') kind=files ;;
    'webhooks secrets import 0') kind=subscriptions ;;
    'webhooks secrets export 0') kind=subscriptions ;;
    'webhooks secrets delete 0') kind=subscriptions ;;
    'catalog products get 0') kind=products ;;
    'catalog products sources 0') kind=products ;;
    'catalog products snapshots 0') kind=products ;;
    'catalog products dynamics 0') kind=products ;;
    'catalog history 0') kind=products ;;
    'catalog compare '*) kind=products ;;
    'catalog check 0') kind=products ;;
    'trade order get 0') kind=orders ;;
    'trade quote '*) kind=symbols ;;
    'trade candles 0') kind=symbols ;;
    'trade symbols info 0') kind=symbols ;;
    'trade symbols show '*) kind=symbols ;;
    'trade symbols hide '*) kind=symbols ;;
    'trade buy 0') kind=symbols ;;
    'trade sell 0') kind=symbols ;;
    'trade entry buy 0') kind=symbols ;;
    'trade entry sell 0') kind=symbols ;;
    'trade close '*) kind=trades ;;
    'trade position set 0') kind=trades ;;
    'trade order set 0') kind=orders ;;
    'trade order cancel '*) kind=orders ;;
    'trade oco create 0') kind=symbols ;;
    'trade oco add '*) kind=orders ;;
    'trade oco remove '*) kind=orders ;;
    'trade batch 0') kind=files ;;
    'config get 0') kind=settings ;;
    'config set 0') kind=settings ;;
    'config unset 0') kind=settings ;;
    'config use 0') kind=profiles ;;
    'doctor '*) kind=choices choices=('alerts' 'webhooks' 'catalog' 'trade') ;;
    'api 0') kind=choices choices=('alerts' 'webhooks' 'catalog' 'trade') ;;
    'api 1') kind=choices choices=('GET' 'POST' 'PUT' 'PATCH' 'DELETE') ;;
    *) return 1 ;;
  esac
}

# Whether a command line of its own stands after -- at the place $at.
__svc_command_line() {
  case "$at" in
    'silences run') return 0 ;;
    *) return 1 ;;
  esac
}

# The words that may follow at the place $at.
__svc_words() {
  case "$at" in
    '') names=(alerts silences webhooks oauth catalog trade config sandbox completion doctor api help) aliases=() ;;
    'help') names=(alerts silences webhooks oauth catalog trade config sandbox completion doctor api exit-codes environment output times matchers) aliases=() ;;
    'alerts') names=(list get groups check create resolve receivers status) aliases=(ls query show add) ;;
    'silences') names=(list get create ack run update extend keepalive recreate expire export import) aliases=(ls query show add delete rm) ;;
    'webhooks') names=(list get create update enable rotate delete test deliveries samples doctor verify listen sign send replay check-receiver show secrets) aliases=(ls rm log trigger) ;;
    'webhooks secrets') names=(list import export delete) aliases=() ;;
    'oauth') names=(login status token refresh logout clients discovery) aliases=() ;;
    'oauth clients') names=(list register forget) aliases=() ;;
    'catalog') names=(products history compare check categories settlements cursors health) aliases=(chart) ;;
    'catalog products') names=(list get sources snapshots dynamics count common) aliases=(ls) ;;
    'catalog categories') names=(list get tree) aliases=(ls) ;;
    'catalog settlements') names=(list get) aliases=(ls) ;;
    'trade') names=(accounts positions orders order offers quote stream watch candles model symbols buy sell entry close position oco batch hours limits journal login logout status ping) aliases=() ;;
    'trade order') names=(get set cancel) aliases=() ;;
    'trade symbols') names=(list info show hide) aliases=(ls) ;;
    'trade entry') names=(buy sell) aliases=() ;;
    'trade position') names=(set) aliases=() ;;
    'trade oco') names=(create add remove edit) aliases=() ;;
    'trade journal') names=(settle) aliases=() ;;
    'config') names=(list get set unset path edit profiles use) aliases=(rm) ;;
    'sandbox') names=(start run status) aliases=() ;;
    'completion') names=(bash zsh fish powershell) aliases=() ;;
  esac
}

# The options that may be given at the place $at.
__svc_options() {
  case "$at" in
    '') names+=(--version -V) ;;
    'help') names+=(--format) ;;
    'alerts list') names+=(--state --all -a --receiver -r --older-than --newer-than --limit --group-by --count-by --count --watch --fail-if-any) ;;
    'alerts groups') names+=(--state --all -a --receiver -r --limit) ;;
    'alerts check') names+=(--min --max --allow-missing --expect --state --all -a --receiver -r --older-than --wait --stable --interval) ;;
    'alerts create') names+=(--annotation --generator-url --start --end --for -d --file -f --dry-run --yes -y) ;;
    'alerts resolve') names+=(--dry-run --yes -y) ;;
    'alerts status') names+=(--config --wait-ready) ;;
    'silences list') names+=(--state --expired --all -a --within --created-by --comment --for-alert --matching --unused --with-counts --limit) ;;
    'silences create') names+=(--for -d --until --from --comment -c --author --from-alert --drop --ensure --max-alerts --file -f --all-alerts --dry-run --yes -y) ;;
    'silences ack') names+=(--for -d --comment -c --author --by --all-alerts --dry-run --yes -y) ;;
    'silences run') names+=(--comment -c --author --ttl --grace --if-unavailable --pass-env --all-alerts --dry-run --yes -y) ;;
    'silences update') names+=(--for -d --until --extend --from --comment -c --author --matcher -m --all-alerts --dry-run --yes -y) ;;
    'silences extend') names+=(--by --max --all-alerts --dry-run --yes -y) ;;
    'silences keepalive') names+=(--prefix --if-within --by --max --dry-run --yes -y) ;;
    'silences recreate') names+=(--for -d --all-alerts --dry-run --yes -y) ;;
    'silences expire') names+=(--created-by --comment --for-alert --matching --unused --all --ignore-missing --concurrency --dry-run --yes -y) ;;
    'silences export') names+=(--state --expired --all -a --within --created-by --comment --for-alert --matching --unused) ;;
    'silences import') names+=(--on-conflict --concurrency --all-alerts --dry-run --yes -y) ;;
    'webhooks list') names+=(--status --url-contains --limit) ;;
    'webhooks create') names+=(--event --no-events --secret-file --secret-fd --store --show-secret --allow-duplicate --recover --dry-run --yes -y) ;;
    'webhooks update') names+=(--url --add-event --remove-event --set-event --clear-events --dry-run --yes -y) ;;
    'webhooks enable') names+=(--url --dry-run --yes -y) ;;
    'webhooks rotate') names+=(--wait --keep-old --secret-file --secret-fd --store --dry-run --yes -y) ;;
    'webhooks delete') names+=(--disabled --ignore-missing --dry-run --yes -y) ;;
    'webhooks test') names+=(--wait --poll --force --dry-run --yes -y) ;;
    'webhooks deliveries') names+=(--page --page-size --all --max-pages --status --event --event-id --error --since --limit --follow -f --until --wait) ;;
    'webhooks samples') names+=(--event --limit --save) ;;
    'webhooks doctor') names+=(--fix --dry-run --yes -y) ;;
    'webhooks verify') names+=(--format --timestamp --signature --header --headers-file --header-prefix --endpoint --secret-file --secret-env --secret-fd --key-derivation --tolerance --ignore-timestamp --now --received-at --extract --fail-fast --show-expected --no-hints) ;;
    'webhooks listen') names+=(--port --host --path --tls-cert --tls-key --endpoint --secret-file --secret-env --secret-fd --tolerance --insecure-no-verify --forward-to --forward-timeout --forward-external --forward-all-headers --forward-duplicates --insecure-forward-tls --ack --respond --on-invalid --event --dedupe --dedupe-file --record --append --max-body --show-body --show-invalid --count --until-event --wait --fail-on-invalid --keep-going --ready-file) ;;
    'webhooks sign') names+=(--timestamp --as --to --event --delivery --header-prefix --endpoint --secret-file --secret-env --secret-fd) ;;
    'webhooks send') names+=(--to --event --body --set --id --size --repeat --new-id --concurrency --skew --tamper --deadline --insecure --endpoint --secret-file --secret-env --secret-fd --dry-run --yes -y) ;;
    'webhooks replay') names+=(--to --format --resign --resign-unproven --only-failed --event-id --event --since --until --limit --rate --concurrency --deadline --insecure --endpoint --secret-file --secret-env --secret-fd --dry-run --yes -y) ;;
    'webhooks check-receiver') names+=(--only --junit --insecure --endpoint --secret-file --secret-env --secret-fd --dry-run --yes -y) ;;
    'webhooks show') names+=(--event-id --full --unverified --header-prefix --endpoint --secret-file --secret-env --secret-fd) ;;
    'webhooks secrets import') names+=(--secret-file --secret-env --secret-fd --against --header-prefix --dry-run --yes -y) ;;
    'webhooks secrets export') names+=(--force) ;;
    'webhooks secrets delete') names+=(--dry-run --yes -y) ;;
    'oauth login') names+=(--port --no-browser --paste --wait --auth-method --client-name --new-client --client-id --client-secret-file --scope --token-stdin --expires-in-days) ;;
    'oauth status') names+=(--check) ;;
    'oauth token') names+=(--force) ;;
    'oauth clients register') names+=(--auth-method --client-name --redirect-uri --secret-file --secret-fd --store --show-secret --dry-run --yes -y) ;;
    'oauth clients forget') names+=(--issuer --force) ;;
    'catalog products list') names+=(--search --brand --parser-name --category --settlement --promo --new --hit --adult --price-min --price-max --order --limit --offset --all --param) ;;
    'catalog products get') names+=(--param) ;;
    'catalog products sources') names+=(--order --limit --offset --all --param) ;;
    'catalog products snapshots') names+=(--parser-name --source-id --order --limit --offset --all --param) ;;
    'catalog products dynamics') names+=(--parser-name --source-id --field --from --to --interval --param) ;;
    'catalog products count') names+=(--store --region --param) ;;
    'catalog products common') names+=(--scope --store --region --param) ;;
    'catalog history') names+=(--field --store --source --from --to --interval --fill --width --height --ascii --sparkline --svg --force) ;;
    'catalog compare') names+=(--search --max-products --by --store --region --field --newer-than --trend --limit) ;;
    'catalog check') names+=(--below --above --change --since --field --store --source --any --all --max-age --wait --every) ;;
    'catalog categories list') names+=(--parser-name --depth --parent --search --limit --offset --all --param) ;;
    'catalog categories get') names+=(--param) ;;
    'catalog categories tree') names+=(--parser-name --param) ;;
    'catalog settlements list') names+=(--country --region --search --limit --offset --all --param) ;;
    'catalog settlements get') names+=(--param) ;;
    'catalog cursors') names+=(--parser-name --param) ;;
    'catalog health') names+=(--param) ;;
    'trade accounts') names+=(--transport --budget) ;;
    'trade positions') names+=(--closed --summary --symbol --account --limit --transport --budget) ;;
    'trade orders') names+=(--type --symbol --account --limit --transport --budget) ;;
    'trade order get') names+=(--transport --budget) ;;
    'trade offers') names+=(--symbol --limit --transport --budget) ;;
    'trade quote') names+=(--count --wait --transport --budget) ;;
    'trade stream') names+=(--snapshot --until --no-reconnect --transport --budget) ;;
    'trade watch') names+=(--every --until --no-reconnect --transport --budget) ;;
    'trade candles') names+=(--from --to --last --price --label --include-partial --gaps --fail-on-gap --chart --width --height --ascii --svg --out --resume --force --offer-id --transport --budget) ;;
    'trade model') names+=(--limit --transport --budget) ;;
    'trade symbols list') names+=(--visible --search --limit --transport --budget) ;;
    'trade symbols info') names+=(--transport --budget) ;;
    'trade symbols show') names+=(--temporary --transport --budget --dry-run --yes -y) ;;
    'trade symbols hide') names+=(--temporary --transport --budget --dry-run --yes -y) ;;
    'trade buy') names+=(--tif --stop --limit --trail --range --wait --require-open --account --preview --transport --dry-run --yes -y) ;;
    'trade sell') names+=(--tif --stop --limit --trail --range --wait --require-open --account --preview --transport --dry-run --yes -y) ;;
    'trade entry buy') names+=(--rate --trail-entry --tif --expires --stop --limit --trail --range --wait --require-open --account --preview --transport --dry-run --yes -y) ;;
    'trade entry sell') names+=(--rate --trail-entry --tif --expires --stop --limit --trail --range --wait --require-open --account --preview --transport --dry-run --yes -y) ;;
    'trade close') names+=(--amount --symbol --everything --range --tif --via-opposite --wait --account --transport --dry-run --yes -y) ;;
    'trade position set') names+=(--stop --limit --trail --account --transport --dry-run --yes -y) ;;
    'trade order set') names+=(--rate --amount --range --trail-entry --stop --limit --trail --account --transport --dry-run --yes -y) ;;
    'trade order cancel') names+=(--all --symbol --account --transport --dry-run --yes -y) ;;
    'trade oco create') names+=(--leg --tif --expires --account --transport --dry-run --yes -y) ;;
    'trade oco add') names+=(--group --account --transport --dry-run --yes -y) ;;
    'trade oco remove') names+=(--account --transport --dry-run --yes -y) ;;
    'trade oco edit') names+=(--add --remove --account --transport --dry-run --yes -y) ;;
    'trade batch') names+=(--keep-going --account --transport --dry-run --yes -y) ;;
    'trade hours') names+=(--at --require-open) ;;
    'trade limits') names+=(--reset) ;;
    'trade journal') names+=(--open --all-gateways --limit) ;;
    'trade login') names+=(--token-stdin) ;;
    'trade status') names+=(--check) ;;
    'trade ping') names+=(--count --every --transport --budget) ;;
    'config list') names+=(--show-origin --all -a) ;;
    'sandbox start') names+=(--empty --port --fast --auto-approve --trap --no-loopback-receivers) ;;
    'sandbox run') names+=(--empty --port --fast --auto-approve --trap --no-loopback-receivers) ;;
    'sandbox status') names+=(--env --port) ;;
    'doctor') names+=(--offline --timeout) ;;
    'api') names+=(--field -f --field-json --body --param -p --include -i --dry-run --yes -y) ;;
  esac
  case "$at" in
    '' | 'alerts' | 'silences' | 'webhooks' | 'oauth' | 'catalog' | 'trade' | 'alerts list' | 'alerts get' | 'alerts groups' | 'alerts check' | 'alerts create' | 'alerts resolve' | 'alerts receivers' | 'alerts status' | 'silences list' | 'silences get' | 'silences create' | 'silences ack' | 'silences run' | 'silences update' | 'silences extend' | 'silences keepalive' | 'silences recreate' | 'silences expire' | 'silences export' | 'silences import' | 'webhooks list' | 'webhooks get' | 'webhooks create' | 'webhooks update' | 'webhooks enable' | 'webhooks rotate' | 'webhooks delete' | 'webhooks test' | 'webhooks deliveries' | 'webhooks samples' | 'webhooks doctor' | 'oauth login' | 'oauth status' | 'oauth token' | 'oauth refresh' | 'oauth logout' | 'oauth clients register' | 'oauth discovery' | 'catalog products list' | 'catalog products get' | 'catalog products sources' | 'catalog products snapshots' | 'catalog products dynamics' | 'catalog products count' | 'catalog products common' | 'catalog history' | 'catalog compare' | 'catalog check' | 'catalog categories list' | 'catalog categories get' | 'catalog categories tree' | 'catalog settlements list' | 'catalog settlements get' | 'catalog cursors' | 'catalog health' | 'trade accounts' | 'trade positions' | 'trade orders' | 'trade order get' | 'trade offers' | 'trade quote' | 'trade stream' | 'trade watch' | 'trade candles' | 'trade model' | 'trade symbols list' | 'trade symbols info' | 'trade symbols show' | 'trade symbols hide' | 'trade buy' | 'trade sell' | 'trade entry buy' | 'trade entry sell' | 'trade close' | 'trade position set' | 'trade order set' | 'trade order cancel' | 'trade oco create' | 'trade oco add' | 'trade oco remove' | 'trade oco edit' | 'trade batch' | 'trade limits' | 'trade journal' | 'trade journal settle' | 'trade login' | 'trade logout' | 'trade status' | 'trade ping' | 'api') names+=(--base-url --timeout --header --header-file --cacert --cert --key --insecure) ;;
  esac
  case "$at" in
    *) names+=(--output -o --json --fields --query --columns --no-headers --sort --time --quiet -q --verbose -v --debug --color --no-input --profile --help -h) ;;
  esac
}

# Reads the line $1 up to the cursor: sets words, and of the word at the cursor raw, cur (unquoted) and quote (the open one).
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

# Offers the word $1 where it begins with what was typed.
__svc_offer() {
  [[ $1 == "$cur"* ]] || return
  local rest=${1:${#cur}} text='' char i
  if [[ $quote == '"' && $rest == *'!'* ]]; then
    return # in double quotes an exclamation mark cannot be quoted
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

# Offers what the kind of value stands for, each after $1.
__svc_offer_values() {
  local value
  case $kind in
    any) ;;
    choices | attached) for value in "${choices[@]}"; do __svc_offer "$1$value"; done ;;
    files) __svc_files "$1" ;;
    *)
      while IFS= read -r value; do
        __svc_offer "$1${value%%$'\t'*}"
      done < <(command svc __complete "$kind" "${cur:${#1}}" -- "${words[@]}" 2>/dev/null </dev/null)
      ;;
  esac
}

# Leaves files to readline, which quotes them; bash 3.2 cannot be told to.
__svc_files() {
  local file
  compopt -o default 2>/dev/null && return
  while IFS= read -r file; do
    __svc_offer "$1$file"
  done < <(compgen -f -- "${cur:${#1}}")
}

# The command line after --, where bash-completion is loaded by the rules of its own command.
__svc_command() {
  local i
  if declare -F _command_offset >/dev/null; then
    for ((i = 1; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} == -- ]]; then
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
  words=("${words[@]:1}")

  for word in "${words[@]}"; do
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
      for ((i = 1; i < ${#word}; i++)); do
        if __svc_value "-${word:i:1}"; then
          ((i == ${#word} - 1)) && after=-${word:i:1}
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
    __svc_value "${cur%%=*}" && __svc_offer_values "${cur%%=*}="
  elif [[ ! $literal && $cur == -* ]]; then
    __svc_options
    for word in "${names[@]}"; do __svc_offer "$word"; done
  else
    if ((n == 0)) && [[ ! $literal ]]; then
      __svc_words
      for word in "${names[@]}"; do __svc_offer "$word"; done
      if ((${#COMPREPLY[@]} == 0)); then
        for word in "${aliases[@]}"; do __svc_offer "$word"; done
      fi
    fi
    if __svc_operand "$n"; then __svc_offer_values ''; fi
  fi
}

complete -F _svc svc
