# fish completion for svc, made from the declarations of its commands by: svc completion fish

# Where the word leads from the place.
function __svc_enter -a place word
  switch "$place $word"
    case ' alerts' 'help alerts'
      echo 'alerts'
    case ' silences' 'help silences'
      echo 'silences'
    case ' webhooks' 'help webhooks'
      echo 'webhooks'
    case ' oauth' 'help oauth'
      echo 'oauth'
    case ' catalog' 'help catalog'
      echo 'catalog'
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
    case 'webhooks list' 'webhooks ls'
      echo 'webhooks list'
    case 'webhooks get'
      echo 'webhooks get'
    case 'webhooks create'
      echo 'webhooks create'
    case 'webhooks update'
      echo 'webhooks update'
    case 'webhooks enable'
      echo 'webhooks enable'
    case 'webhooks rotate'
      echo 'webhooks rotate'
    case 'webhooks delete' 'webhooks rm'
      echo 'webhooks delete'
    case 'webhooks test'
      echo 'webhooks test'
    case 'webhooks deliveries' 'webhooks log'
      echo 'webhooks deliveries'
    case 'webhooks samples'
      echo 'webhooks samples'
    case 'webhooks doctor'
      echo 'webhooks doctor'
    case 'webhooks verify'
      echo 'webhooks verify'
    case 'webhooks listen'
      echo 'webhooks listen'
    case 'webhooks sign'
      echo 'webhooks sign'
    case 'webhooks send' 'webhooks trigger'
      echo 'webhooks send'
    case 'webhooks replay'
      echo 'webhooks replay'
    case 'webhooks check-receiver'
      echo 'webhooks check-receiver'
    case 'webhooks show'
      echo 'webhooks show'
    case 'webhooks secrets'
      echo 'webhooks secrets'
    case 'webhooks secrets list'
      echo 'webhooks secrets list'
    case 'webhooks secrets import'
      echo 'webhooks secrets import'
    case 'webhooks secrets export'
      echo 'webhooks secrets export'
    case 'webhooks secrets delete'
      echo 'webhooks secrets delete'
    case 'oauth login'
      echo 'oauth login'
    case 'oauth status'
      echo 'oauth status'
    case 'oauth token'
      echo 'oauth token'
    case 'oauth refresh'
      echo 'oauth refresh'
    case 'oauth logout'
      echo 'oauth logout'
    case 'oauth clients'
      echo 'oauth clients'
    case 'oauth clients list'
      echo 'oauth clients list'
    case 'oauth clients register'
      echo 'oauth clients register'
    case 'oauth clients forget'
      echo 'oauth clients forget'
    case 'oauth discovery'
      echo 'oauth discovery'
    case 'catalog products'
      echo 'catalog products'
    case 'catalog products list' 'catalog products ls'
      echo 'catalog products list'
    case 'catalog products get'
      echo 'catalog products get'
    case 'catalog products sources'
      echo 'catalog products sources'
    case 'catalog products snapshots'
      echo 'catalog products snapshots'
    case 'catalog products dynamics'
      echo 'catalog products dynamics'
    case 'catalog products count'
      echo 'catalog products count'
    case 'catalog products common'
      echo 'catalog products common'
    case 'catalog history' 'catalog chart'
      echo 'catalog history'
    case 'catalog compare'
      echo 'catalog compare'
    case 'catalog check'
      echo 'catalog check'
    case 'catalog categories'
      echo 'catalog categories'
    case 'catalog categories list' 'catalog categories ls'
      echo 'catalog categories list'
    case 'catalog categories get'
      echo 'catalog categories get'
    case 'catalog categories tree'
      echo 'catalog categories tree'
    case 'catalog settlements'
      echo 'catalog settlements'
    case 'catalog settlements list' 'catalog settlements ls'
      echo 'catalog settlements list'
    case 'catalog settlements get'
      echo 'catalog settlements get'
    case 'catalog cursors'
      echo 'catalog cursors'
    case 'catalog health'
      echo 'catalog health'
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
    case 'webhooks list --status'
      printf '%s\n' 'choices' 'active' 'disabled'
    case 'webhooks list --url-contains'
      printf '%s\n' 'any'
    case 'webhooks list --limit'
      printf '%s\n' 'any'
    case 'webhooks create --events'
      printf '%s\n' 'any'
    case 'webhooks create --secret-file'
      printf '%s\n' 'files'
    case 'webhooks create --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks update --url'
      printf '%s\n' 'any'
    case 'webhooks update --add-event'
      printf '%s\n' 'any'
    case 'webhooks update --remove-event'
      printf '%s\n' 'any'
    case 'webhooks update --set-events'
      printf '%s\n' 'any'
    case 'webhooks enable --url'
      printf '%s\n' 'any'
    case 'webhooks rotate --wait'
      printf '%s\n' 'any'
    case 'webhooks rotate --secret-file'
      printf '%s\n' 'files'
    case 'webhooks rotate --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks test --wait'
      printf '%s\n' 'any'
    case 'webhooks test --poll'
      printf '%s\n' 'any'
    case 'webhooks deliveries --page'
      printf '%s\n' 'any'
    case 'webhooks deliveries --page-size'
      printf '%s\n' 'any'
    case 'webhooks deliveries --max-pages'
      printf '%s\n' 'any'
    case 'webhooks deliveries --status'
      printf '%s\n' 'choices' 'pending' 'delivered' 'failed'
    case 'webhooks deliveries --event-type'
      printf '%s\n' 'any'
    case 'webhooks deliveries --event-id'
      printf '%s\n' 'any'
    case 'webhooks deliveries --error'
      printf '%s\n' 'any'
    case 'webhooks deliveries --since'
      printf '%s\n' 'any'
    case 'webhooks deliveries --limit'
      printf '%s\n' 'any'
    case 'webhooks deliveries --until'
      printf '%s\n' 'any'
    case 'webhooks deliveries --wait'
      printf '%s\n' 'any'
    case 'webhooks samples --event'
      printf '%s\n' 'any'
    case 'webhooks samples --limit'
      printf '%s\n' 'any'
    case 'webhooks samples --save'
      printf '%s\n' 'files'
    case 'webhooks verify --format'
      printf '%s\n' 'choices' 'auto' 'body' 'http' 'har' 'curl' 'ndjson'
    case 'webhooks verify --timestamp'
      printf '%s\n' 'any'
    case 'webhooks verify --signature'
      printf '%s\n' 'any'
    case 'webhooks verify --header'
      printf '%s\n' 'any'
    case 'webhooks verify --headers-file'
      printf '%s\n' 'files'
    case 'webhooks verify --header-prefix'
      printf '%s\n' 'any'
    case 'webhooks verify --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks verify --secret-file'
      printf '%s\n' 'files'
    case 'webhooks verify --secret-env'
      printf '%s\n' 'any'
    case 'webhooks verify --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks verify --key-derivation'
      printf '%s\n' 'choices' 'raw' 'std'
    case 'webhooks verify --tolerance'
      printf '%s\n' 'any'
    case 'webhooks verify --now'
      printf '%s\n' 'any'
    case 'webhooks verify --received-at'
      printf '%s\n' 'any'
    case 'webhooks listen --port'
      printf '%s\n' 'any'
    case 'webhooks listen --host'
      printf '%s\n' 'any'
    case 'webhooks listen --path'
      printf '%s\n' 'any'
    case 'webhooks listen --tls-cert'
      printf '%s\n' 'files'
    case 'webhooks listen --tls-key'
      printf '%s\n' 'files'
    case 'webhooks listen --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks listen --secret-file'
      printf '%s\n' 'files'
    case 'webhooks listen --secret-env'
      printf '%s\n' 'any'
    case 'webhooks listen --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks listen --tolerance'
      printf '%s\n' 'any'
    case 'webhooks listen --forward-to'
      printf '%s\n' 'any'
    case 'webhooks listen --forward-timeout'
      printf '%s\n' 'any'
    case 'webhooks listen --ack'
      printf '%s\n' 'choices' 'after' 'early'
    case 'webhooks listen --respond'
      printf '%s\n' 'any'
    case 'webhooks listen --on-invalid'
      printf '%s\n' 'choices' '401' '202'
    case 'webhooks listen --event'
      printf '%s\n' 'any'
    case 'webhooks listen --dedupe'
      printf '%s\n' 'choices' 'id' 'off'
    case 'webhooks listen --dedupe-file'
      printf '%s\n' 'files'
    case 'webhooks listen --record'
      printf '%s\n' 'files'
    case 'webhooks listen --max-body'
      printf '%s\n' 'any'
    case 'webhooks listen --count'
      printf '%s\n' 'any'
    case 'webhooks listen --until-event'
      printf '%s\n' 'any'
    case 'webhooks listen --wait'
      printf '%s\n' 'any'
    case 'webhooks listen --ready-file'
      printf '%s\n' 'files'
    case 'webhooks sign --timestamp'
      printf '%s\n' 'any'
    case 'webhooks sign --as'
      printf '%s\n' 'choices' 'headers' 'signature' 'curl' 'http' 'json'
    case 'webhooks sign --to'
      printf '%s\n' 'any'
    case 'webhooks sign --event'
      printf '%s\n' 'any'
    case 'webhooks sign --delivery'
      printf '%s\n' 'any'
    case 'webhooks sign --header-prefix'
      printf '%s\n' 'any'
    case 'webhooks sign --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks sign --secret-file'
      printf '%s\n' 'files'
    case 'webhooks sign --secret-env'
      printf '%s\n' 'any'
    case 'webhooks sign --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks send --to'
      printf '%s\n' 'any'
    case 'webhooks send --event'
      printf '%s\n' 'any'
    case 'webhooks send --body'
      printf '%s\n' 'files'
    case 'webhooks send --set'
      printf '%s\n' 'any'
    case 'webhooks send --id'
      printf '%s\n' 'any'
    case 'webhooks send --size'
      printf '%s\n' 'any'
    case 'webhooks send --repeat'
      printf '%s\n' 'any'
    case 'webhooks send --concurrency'
      printf '%s\n' 'any'
    case 'webhooks send --skew'
      printf '%s\n' 'any'
    case 'webhooks send --tamper'
      printf '%s\n' 'choices' 'none' 'body' 'signature' 'timestamp' 'header'
    case 'webhooks send --deadline'
      printf '%s\n' 'any'
    case 'webhooks send --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks send --secret-file'
      printf '%s\n' 'files'
    case 'webhooks send --secret-env'
      printf '%s\n' 'any'
    case 'webhooks send --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks replay --to'
      printf '%s\n' 'any'
    case 'webhooks replay --event-id'
      printf '%s\n' 'any'
    case 'webhooks replay --event'
      printf '%s\n' 'any'
    case 'webhooks replay --limit'
      printf '%s\n' 'any'
    case 'webhooks replay --rate'
      printf '%s\n' 'any'
    case 'webhooks replay --concurrency'
      printf '%s\n' 'any'
    case 'webhooks replay --deadline'
      printf '%s\n' 'any'
    case 'webhooks replay --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks replay --secret-file'
      printf '%s\n' 'files'
    case 'webhooks replay --secret-env'
      printf '%s\n' 'any'
    case 'webhooks replay --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks check-receiver --only'
      printf '%s\n' 'choices' 'valid-ping' 'valid-summary' 'unknown-type' 'unknown-fields' 'same-event-twice' 'bad-signature' 'missing-signature' 'missing-timestamp' 'stale-timestamp' 'future-timestamp' 'shifted-dot' 'not-utf8' 'large-body' 'no-redirect'
    case 'webhooks check-receiver --junit'
      printf '%s\n' 'files'
    case 'webhooks check-receiver --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks check-receiver --secret-file'
      printf '%s\n' 'files'
    case 'webhooks check-receiver --secret-env'
      printf '%s\n' 'any'
    case 'webhooks check-receiver --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks show --event-id'
      printf '%s\n' 'any'
    case 'webhooks show --header-prefix'
      printf '%s\n' 'any'
    case 'webhooks show --endpoint'
      printf '%s\n' 'subscriptions'
    case 'webhooks show --secret-file'
      printf '%s\n' 'files'
    case 'webhooks show --secret-env'
      printf '%s\n' 'any'
    case 'webhooks show --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks secrets import --secret-file'
      printf '%s\n' 'files'
    case 'webhooks secrets import --secret-env'
      printf '%s\n' 'any'
    case 'webhooks secrets import --secret-fd'
      printf '%s\n' 'any'
    case 'webhooks secrets import --against'
      printf '%s\n' 'files'
    case 'webhooks secrets import --header-prefix'
      printf '%s\n' 'any'
    case 'oauth login --port'
      printf '%s\n' 'any'
    case 'oauth login --wait'
      printf '%s\n' 'any'
    case 'oauth login --auth-method'
      printf '%s\n' 'choices' 'none' 'client_secret_basic' 'client_secret_post'
    case 'oauth login --client-name'
      printf '%s\n' 'any'
    case 'oauth login --expires-in-days'
      printf '%s\n' 'any'
    case 'oauth clients register --auth-method'
      printf '%s\n' 'choices' 'none' 'client_secret_basic' 'client_secret_post'
    case 'oauth clients register --client-name'
      printf '%s\n' 'any'
    case 'oauth clients register --redirect-uri'
      printf '%s\n' 'any'
    case 'oauth clients register --secret-file'
      printf '%s\n' 'files'
    case 'oauth clients register --secret-fd'
      printf '%s\n' 'any'
    case 'oauth clients forget --issuer'
      printf '%s\n' 'any'
    case 'catalog products list --search'
      printf '%s\n' 'any'
    case 'catalog products list --brand'
      printf '%s\n' 'any'
    case 'catalog products list --parser-name'
      printf '%s\n' 'stores'
    case 'catalog products list --category'
      printf '%s\n' 'any'
    case 'catalog products list --settlement'
      printf '%s\n' 'any'
    case 'catalog products list --promo'
      printf '%s\n' 'choices' 'true' 'false'
    case 'catalog products list --new'
      printf '%s\n' 'choices' 'true' 'false'
    case 'catalog products list --hit'
      printf '%s\n' 'choices' 'true' 'false'
    case 'catalog products list --adult'
      printf '%s\n' 'choices' 'true' 'false'
    case 'catalog products list --price-min'
      printf '%s\n' 'any'
    case 'catalog products list --price-max'
      printf '%s\n' 'any'
    case 'catalog products list --order'
      printf '%s\n' 'choices' 'observed_at_desc' 'observed_at_asc' 'price_asc' 'price_desc' 'rating_desc'
    case 'catalog products list --limit'
      printf '%s\n' 'any'
    case 'catalog products list --offset'
      printf '%s\n' 'any'
    case 'catalog products list --param'
      printf '%s\n' 'any'
    case 'catalog products sources --order'
      printf '%s\n' 'choices' 'observed_at_desc' 'observed_at_asc'
    case 'catalog products sources --limit'
      printf '%s\n' 'any'
    case 'catalog products sources --offset'
      printf '%s\n' 'any'
    case 'catalog products sources --param'
      printf '%s\n' 'any'
    case 'catalog products snapshots --parser-name'
      printf '%s\n' 'stores'
    case 'catalog products snapshots --source-id'
      printf '%s\n' 'sources'
    case 'catalog products snapshots --order'
      printf '%s\n' 'choices' 'observed_at_desc' 'observed_at_asc'
    case 'catalog products snapshots --limit'
      printf '%s\n' 'any'
    case 'catalog products snapshots --offset'
      printf '%s\n' 'any'
    case 'catalog products snapshots --param'
      printf '%s\n' 'any'
    case 'catalog products dynamics --parser-name'
      printf '%s\n' 'stores'
    case 'catalog products dynamics --source-id'
      printf '%s\n' 'sources'
    case 'catalog products dynamics --field'
      printf '%s\n' 'choices' 'price' 'discount_price' 'loyal_price' 'available_count'
    case 'catalog products dynamics --from'
      printf '%s\n' 'any'
    case 'catalog products dynamics --to'
      printf '%s\n' 'any'
    case 'catalog products dynamics --interval'
      printf '%s\n' 'choices' '1h' '6h' '1d' '7d'
    case 'catalog products dynamics --param'
      printf '%s\n' 'any'
    case 'catalog products count --store'
      printf '%s\n' 'stores'
    case 'catalog products count --region'
      printf '%s\n' 'any'
    case 'catalog products count --param'
      printf '%s\n' 'any'
    case 'catalog products common --scope'
      printf '%s\n' 'choices' 'stores' 'regions'
    case 'catalog products common --store'
      printf '%s\n' 'stores'
    case 'catalog products common --region'
      printf '%s\n' 'any'
    case 'catalog products common --param'
      printf '%s\n' 'any'
    case 'catalog history --field'
      printf '%s\n' 'choices' 'price' 'discount_price' 'loyal_price' 'available_count'
    case 'catalog history --store'
      printf '%s\n' 'stores'
    case 'catalog history --source'
      printf '%s\n' 'sources'
    case 'catalog history --from'
      printf '%s\n' 'any'
    case 'catalog history --to'
      printf '%s\n' 'any'
    case 'catalog history --interval'
      printf '%s\n' 'choices' 'auto' '1h' '6h' '1d' '7d'
    case 'catalog history --fill'
      printf '%s\n' 'choices' 'none' 'last'
    case 'catalog history --width'
      printf '%s\n' 'any'
    case 'catalog history --height'
      printf '%s\n' 'any'
    case 'catalog history --svg'
      printf '%s\n' 'files'
    case 'catalog compare --search'
      printf '%s\n' 'any'
    case 'catalog compare --max-products'
      printf '%s\n' 'any'
    case 'catalog compare --by'
      printf '%s\n' 'choices' 'source' 'store' 'region'
    case 'catalog compare --store'
      printf '%s\n' 'stores'
    case 'catalog compare --region'
      printf '%s\n' 'any'
    case 'catalog compare --field'
      printf '%s\n' 'choices' 'lowest' 'price' 'discount_price' 'loyal_price'
    case 'catalog compare --newer-than'
      printf '%s\n' 'any'
    case 'catalog compare --limit'
      printf '%s\n' 'any'
    case 'catalog check --below'
      printf '%s\n' 'any'
    case 'catalog check --above'
      printf '%s\n' 'any'
    case 'catalog check --change'
      printf '%s\n' 'any'
    case 'catalog check --since'
      printf '%s\n' 'any'
    case 'catalog check --field'
      printf '%s\n' 'choices' 'lowest' 'price' 'discount_price' 'loyal_price' 'available_count'
    case 'catalog check --store'
      printf '%s\n' 'stores'
    case 'catalog check --source'
      printf '%s\n' 'sources'
    case 'catalog check --newer-than'
      printf '%s\n' 'any'
    case 'catalog check --wait'
      printf '%s\n' 'any'
    case 'catalog check --every'
      printf '%s\n' 'any'
    case 'catalog categories list --parser-name'
      printf '%s\n' 'stores'
    case 'catalog categories list --depth'
      printf '%s\n' 'any'
    case 'catalog categories list --parent'
      printf '%s\n' 'any'
    case 'catalog categories list --search'
      printf '%s\n' 'any'
    case 'catalog categories list --limit'
      printf '%s\n' 'any'
    case 'catalog categories list --offset'
      printf '%s\n' 'any'
    case 'catalog categories list --param'
      printf '%s\n' 'any'
    case 'catalog categories tree --parser-name'
      printf '%s\n' 'stores'
    case 'catalog categories tree --param'
      printf '%s\n' 'any'
    case 'catalog settlements list --country'
      printf '%s\n' 'any'
    case 'catalog settlements list --region'
      printf '%s\n' 'any'
    case 'catalog settlements list --search'
      printf '%s\n' 'any'
    case 'catalog settlements list --limit'
      printf '%s\n' 'any'
    case 'catalog settlements list --offset'
      printf '%s\n' 'any'
    case 'catalog settlements list --param'
      printf '%s\n' 'any'
    case 'catalog cursors --parser-name'
      printf '%s\n' 'stores'
    case 'catalog cursors --param'
      printf '%s\n' 'any'
    case 'sandbox start --port'
      printf '%s\n' 'any'
    case 'sandbox start --fast'
      printf '%s\n' 'any'
    case 'sandbox start --trap'
      printf '%s\n' 'choices' 'lost-create' 'created-but-503' 'failed-create' 'lost-update' 'lost-delete' 'lost-test' 'rate-429' 'update-clears-events' 'other-editor' 'delete-not-ok' 'test-not-queued' 'no-log-item' 'disabled-mid-wait' 'ping-needs-listing' 'ignored-page' 'shifting-pages' 'other-issuer' 'other-method' 'secret-for-public' 'client-forgotten' 'other-state' 'token-500' 'lost-refresh' 'dropped-refresh' 'slow-refresh' 'kept-refresh-token' 'early-end' 'no-lifetime' 'hostile-text' 'database-down' 'hostile-catalog' 'moving-total' 'slow-catalog' 'wrong-shape' 'uneven-series' 'many-products'
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
    case 'webhooks get 0'
      echo subscriptions
    case 'webhooks update 0'
      echo subscriptions
    case 'webhooks enable 0'
      echo subscriptions
    case 'webhooks rotate 0'
      echo subscriptions
    case 'webhooks delete *'
      echo subscriptions
    case 'webhooks test 0'
      echo subscriptions
    case 'webhooks deliveries 0'
      echo subscriptions
    case 'webhooks doctor 0'
      echo subscriptions
    case 'webhooks verify *'
      echo files
    case 'webhooks sign 0'
      echo files
    case 'webhooks replay 0'
      echo files
    case 'webhooks show 0'
      echo files
    case 'webhooks secrets import 0'
      echo subscriptions
    case 'webhooks secrets export 0'
      echo subscriptions
    case 'webhooks secrets delete 0'
      echo subscriptions
    case 'catalog products get 0'
      echo products
    case 'catalog products sources 0'
      echo products
    case 'catalog products snapshots 0'
      echo products
    case 'catalog products dynamics 0'
      echo products
    case 'catalog history 0'
      echo products
    case 'catalog compare *'
      echo products
    case 'catalog check 0'
      echo products
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
      printf '%s\t%s\n' 'alerts' 'See what fires, and send alerts' 'silences' 'Mute alerts safely, and end it' 'webhooks' 'Subscribe to recording events; check, receive and send deliveries' 'oauth' 'Sign in to the recording service' 'catalog' 'Products, prices and their history' 'config' 'Settings and profiles' 'sandbox' 'The services on this machine, to try svc on' 'completion' 'Complete svc with <Tab> in your shell' 'help' 'Help on a command or a topic'
    case 'help'
      printf '%s\t%s\n' 'alerts' 'See what fires, and send alerts' 'silences' 'Mute alerts safely, and end it' 'webhooks' 'Subscribe to recording events; check, receive and send deliveries' 'oauth' 'Sign in to the recording service' 'catalog' 'Products, prices and their history' 'config' 'Settings and profiles' 'sandbox' 'The services on this machine, to try svc on' 'completion' 'Complete svc with <Tab> in your shell' 'exit-codes' 'Topic' 'environment' 'Topic'
    case 'alerts'
      printf '%s\t%s\n' 'list' 'List alerts, active ones unless told otherwise' 'get' 'Show one alert, who silences it and which alerts inhibit it' 'groups' 'List alerts as the server groups them for its receivers' 'check' 'Test how many alerts there are: 0 if as many as there may be, 1 if not' 'create' 'Send an alert, or a file of them' 'resolve' 'End alerts now' 'receivers' 'List the receivers, which are the names of notification integrations' 'status' 'Show the version, uptime and cluster of the alert manager'
    case 'silences'
      printf '%s\t%s\n' 'list' 'List silences, active and pending ones unless told otherwise' 'get' 'Show one silence' 'create' 'Mute the alerts that match, for a time' 'ack' 'Acknowledge alerts: mute them for a short time' 'run' 'Silence alerts while a command runs' 'update' 'Change a silence' 'extend' 'Let silences end later' 'keepalive' 'Extend acknowledgements while their alerts fire, once; for cron' 'recreate' 'Make expired silences again' 'expire' 'End silences now' 'export' 'Write silences out, for import here or elsewhere' 'import' 'Bring silences from a file to the server'
    case 'webhooks'
      printf '%s\t%s\n' 'list' 'List the subscriptions of the account' 'get' 'Show one subscription' 'create' 'Subscribe an HTTPS address to events' 'update' 'Change the address or the events of a subscription' 'enable' 'Bring a disabled subscription back, with another address' 'rotate' 'Give a receiver a new secret, without a gap' 'delete' 'Delete subscriptions for good' 'test' 'Send a test event, and see whether it arrives' 'deliveries' 'What was delivered to a subscription, and what was not' 'samples' 'Events as the service sends them, to try a receiver with' 'doctor' 'Look for what keeps events from arriving, and say what to do' 'verify' 'Check the signatures of deliveries, and say why one does not match' 'listen' 'Receive deliveries on this machine: verify, record, forward them' 'sign' 'Sign a body as the service would' 'send' 'Send a signed event to a receiver, as the service would' 'replay' 'Send recorded deliveries again, byte for byte' 'check-receiver' 'Probe a receiver with good and bad deliveries' 'show' 'Show an event to read: who, what, the summaries and the transcript' 'secrets' ''
    case 'webhooks secrets'
      printf '%s\t%s\n' 'list' 'List the endpoints whose signing secrets svc keeps' 'import' 'Keep the signing secret of an endpoint, for --endpoint' 'export' 'Print a signing secret, for a receiver that needs it' 'delete' 'Forget a signing secret'
    case 'oauth'
      printf '%s\t%s\n' 'login' 'Sign in to the recording service, by browser or with a personal token' 'status' 'Whether you are signed in, and until when' 'token' 'Print the access token, for a script' 'refresh' 'Get a new access token now' 'logout' 'Delete the stored login' 'clients' '' 'discovery' 'Show what the service says of its own sign-in'
    case 'oauth clients'
      printf '%s\t%s\n' 'list' 'List the clients registered from here' 'register' 'Register a client at the recording service' 'forget' 'Delete a client registration from this machine'
    case 'catalog'
      printf '%s\t%s\n' 'products' '' 'history' 'How the price of a product moved, at each place that sells it' 'compare' 'What products cost now at each source, who is cheapest, and by how much' 'check' 'Test a price: 0 if the condition holds, 1 if not' 'categories' '' 'settlements' '' 'cursors' 'How far the catalog has read each store' 'health' 'Ask the catalog whether it can read its data'
    case 'catalog products'
      printf '%s\t%s\n' 'list' 'List and search products' 'get' 'Show one product' 'sources' 'Where a product is sold, and for how much' 'snapshots' 'What was observed of a product, and when' 'dynamics' 'The values of one source over time, as the service gives them' 'count' 'Count the products of stores and regions' 'common' 'Count the products that all stores, or all regions, have in common'
    case 'catalog categories'
      printf '%s\t%s\n' 'list' 'List the categories of the stores' 'get' 'Show one category' 'tree' 'Show the categories of each store below each other'
    case 'catalog settlements'
      printf '%s\t%s\n' 'list' 'List the places where products are sold' 'get' 'Show one settlement'
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
    case 'webhooks'
      printf '%s\t%s\n' 'ls' 'List the subscriptions of the account' 'rm' 'Delete subscriptions for good' 'log' 'What was delivered to a subscription, and what was not' 'trigger' 'Send a signed event to a receiver, as the service would'
    case 'catalog'
      printf '%s\t%s\n' 'chart' 'How the price of a product moved, at each place that sells it'
    case 'catalog products'
      printf '%s\t%s\n' 'ls' 'List and search products'
    case 'catalog categories'
      printf '%s\t%s\n' 'ls' 'List the categories of the stores'
    case 'catalog settlements'
      printf '%s\t%s\n' 'ls' 'List the places where products are sold'
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
    case 'webhooks list'
      printf '%s\t%s\n' '--status' 'Only those of this state' '--url-contains' 'Only those whose address holds this' '--limit' 'At most so many'
  end
  switch "$place"
    case 'webhooks create'
      printf '%s\t%s\n' '--events' 'Types of events to send there' '--no-events' 'Of no type yet: nothing is delivered' '--secret-file' 'Write the secret to this new file, mode 600' '--secret-fd' 'Write the secret to this descriptor' '--store' 'Keep the secret for --endpoint (the default at a terminal)' '--show-secret' 'Print the secret' '--allow-duplicate' 'Even if a subscription of this address is there' '--recover' 'Where the answer is lost on the way, delete what was created and create it again' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks update'
      printf '%s\t%s\n' '--url' 'Another address' '--add-event' 'Send events of this type, too' '--remove-event' 'Send no more events of this type' '--set-events' 'Send events of these types and no others' '--clear-events' 'Send no events at all' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks enable'
      printf '%s\t%s\n' '--url' 'Its new address' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks rotate'
      printf '%s\t%s\n' '--wait' 'How long the test may take' '--keep-old' 'Do not delete the old one' '--secret-file' 'Write the secret to this new file, mode 600' '--secret-fd' 'Write the secret to this descriptor' '--store' 'Keep the secret for --endpoint (the default at a terminal)' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks delete'
      printf '%s\t%s\n' '--disabled' 'All that are disabled' '--ignore-missing' 'A subscription that is not there is no failure' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks test'
      printf '%s\t%s\n' '--wait' 'Watch what becomes of it, at most so long' '--poll' 'How often to look' '--force' 'Even to a subscription that is disabled' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks deliveries'
      printf '%s\t%s\n' '--page' 'This page alone (default 1)' '--page-size' 'Deliveries a page (default 20)' '--all' 'All pages' '--max-pages' 'Read at most so many' '--status' 'Only those of this state' '--event-type' 'Only events of this type' '--event-id' 'Only this event' '--error' 'Only those whose latest error holds this' '--since' 'Only those created since then' '--limit' 'At most so many' '--follow' 'Show what changes from now on' '-f' 'Show what changes from now on' '--until' 'With --follow: until this event is delivered or has failed' '--wait' 'With --follow: at most so long'
  end
  switch "$place"
    case 'webhooks samples'
      printf '%s\t%s\n' '--event' 'Events of this type' '--limit' 'At most so many (the service sends 3)' '--save' 'Write each into a new file there, mode 600'
  end
  switch "$place"
    case 'webhooks doctor'
      printf '%s\t%s\n' '--fix' 'Forget the kept secrets of subscriptions that are gone' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks verify'
      printf '%s\t%s\n' '--format' 'What the inputs are' '--timestamp' 'The timestamp header, as it was received' '--signature' 'The signature header, as it was received' '--header' 'A header as it was received' '--headers-file' 'Headers as they were received: lines of Name: value, or JSON' '--header-prefix' 'What the names of the service\'s headers begin with' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from' '--key-derivation' 'The key: the text of the secret, or what follows whsec_ base64-decoded (Standard Webhooks)' '--tolerance' 'How far a timestamp may be from the clock, in both directions; none to ignore it' '--ignore-timestamp' 'Same as --tolerance none' '--now' 'Check as if it were this time' '--received-at' 'When they were received, whatever a recording says' '--extract' 'Print the exact body of one delivery if it is valid, and nothing if not' '--fail-fast' 'Stop at the first that is not valid' '--show-expected' 'Show the right signature too: within the tolerance it is a forgery' '--no-hints' 'Do not search for the cause of a mismatch'
  end
  switch "$place"
    case 'webhooks listen'
      printf '%s\t%s\n' '--port' 'Port to listen on, 0 for a free one' '--host' 'Address to listen on; others reach any but loopback' '--path' 'Path that takes deliveries' '--tls-cert' 'Certificate chain (PEM) to speak TLS with' '--tls-key' 'Its key (PEM)' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from' '--tolerance' 'How far a timestamp may be from the clock, in both directions; none to ignore it' '--insecure-no-verify' 'Take everything as valid: anybody can send events then' '--forward-to' 'Hand valid deliveries on to this address' '--forward-timeout' 'How long its answer may take' '--forward-external' 'It may be on another machine' '--forward-all-headers' 'Hand on all end-to-end headers, not the five documented ones only' '--forward-duplicates' 'Hand on events that were accepted before, too' '--insecure-forward-tls' 'Do not check its certificate' '--ack' 'Answer after the target has, or 202 at once, for one that is slow' '--respond' 'Answer to a valid delivery' '--on-invalid' 'Answer to an invalid one' '--event' 'Only events of this type' '--dedupe' 'Tell repeated events by their id' '--dedupe-file' 'Know repeated events again after a restart: keep them in this file' '--record' 'Write what comes to this new file (NDJSON)' '--append' 'With --record: continue a file that is there' '--max-body' 'Longest body that is taken' '--show-body' 'Show the bodies of valid deliveries' '--show-invalid' 'Show the bodies of invalid ones' '--count' 'End after so many accepted events' '--until-event' 'End after an accepted event of this type or id' '--wait' 'End after this time' '--fail-on-invalid' 'End at the first invalid delivery' '--keep-going' 'Go on however many in a row are invalid' '--ready-file' 'Write port, url and pid (JSON) here while it listens'
  end
  switch "$place"
    case 'webhooks sign'
      printf '%s\t%s\n' '--timestamp' 'When it is signed: a time, or Unix seconds (default now)' '--as' 'What is printed' '--to' 'With --as curl or http: where the request goes' '--event' 'The event type header, whatever the body says' '--delivery' 'The delivery id header' '--header-prefix' 'What the names of the service\'s headers begin with' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from'
  end
  switch "$place"
    case 'webhooks send'
      printf '%s\t%s\n' '--to' 'Where the receiver is; quote an address that holds "&"' '--event' 'The event type (default webhook.ping)' '--body' 'The exact bytes to send, - for standard input' '--set' 'Set a field of the made-up event: data.title=Hello' '--id' 'The event id' '--size' 'The size of the body, such as 2MiB: of a summary.completed event' '--repeat' 'Send it so many times' '--new-id' 'A new event each time, not the same again' '--concurrency' 'How many at once' '--skew' 'Sign with a clock that is wrong by this: -1h, +10m' '--tamper' 'What to change after signing; the header is that of the event type' '--deadline' 'How long to wait for an answer' '--insecure' 'Do not check the certificate of the receiver' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks replay'
      printf '%s\t%s\n' '--to' 'Where the receiver is; quote an address that holds "&"' '--resign' 'Sign each anew when it is sent; takes a secret' '--only-failed' 'Only those that were answered or forwarded without a 2xx' '--event-id' 'Only this event' '--event' 'Only events of this type' '--limit' 'Send no more than this' '--rate' 'No more than this: 10/s, 30/m' '--concurrency' 'How many at once' '--deadline' 'How long to wait for an answer' '--insecure' 'Do not check the certificate of the receiver' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks check-receiver'
      printf '%s\t%s\n' '--only' 'Only this probe' '--junit' 'Write a report in JUnit form, for CI' '--insecure' 'Do not check the certificate of the receiver' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks show'
      printf '%s\t%s\n' '--event-id' 'Of several events only this one' '--full' 'Texts to their end' '--unverified' 'Show what is in a delivery whose signature is not good, too' '--header-prefix' 'What the names of the service\'s headers begin with' '--endpoint' 'Endpoint whose signing secret svc keeps (default: the secret in $SVC_WEBHOOK_SECRET)' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from'
  end
  switch "$place"
    case 'webhooks secrets import'
      printf '%s\t%s\n' '--secret-file' 'File that holds a signing secret' '--secret-env' 'Variable that holds a signing secret' '--secret-fd' 'Descriptor to read a signing secret from' '--against' 'Keep it only if it signed at least one delivery in this file' '--header-prefix' 'What the names of the service\'s headers begin with' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'webhooks secrets export'
      printf '%s\t%s\n' '--force' 'Print it on a terminal all the same'
  end
  switch "$place"
    case 'webhooks secrets delete'
      printf '%s\t%s\n' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'oauth login'
      printf '%s\t%s\n' '--port' 'Port to wait at (default: as registered, or any)' '--no-browser' 'Open no browser, only print the address' '--paste' 'Also take the address that the browser ends at from standard input' '--wait' 'How long to wait for the person' '--auth-method' 'How the client proves itself to the service (default none)' '--client-name' 'What the service calls the client (default svc)' '--token-stdin' 'Keep a personal token: piped in, or typed and not shown' '--expires-in-days' 'The lifetime that the personal token was made with'
  end
  switch "$place"
    case 'oauth status'
      printf '%s\t%s\n' '--check' 'Make one cheap call, to see whether the service agrees'
  end
  switch "$place"
    case 'oauth token'
      printf '%s\t%s\n' '--force' 'Print it on a terminal, too'
  end
  switch "$place"
    case 'oauth clients register'
      printf '%s\t%s\n' '--auth-method' 'How the client proves itself to the service (default none)' '--client-name' 'What the service calls the client (default svc)' '--redirect-uri' 'Where browsers may be sent back to' '--secret-file' 'Write the secret to this new file, mode 600' '--secret-fd' 'Write the secret to this descriptor' '--store' 'Keep the client for svc oauth login (the default at a terminal)' '--show-secret' 'Print the secret' '--dry-run' 'Print the request (or a curl line) instead of sending it' '--yes' 'Do not ask for confirmation' '-y' 'Do not ask for confirmation'
  end
  switch "$place"
    case 'oauth clients forget'
      printf '%s\t%s\n' '--issuer' 'Which one, where several services gave the same id' '--force' 'Forget it although a login needs it'
  end
  switch "$place"
    case 'catalog products list'
      printf '%s\t%s\n' '--search' 'Part of the title or the brand; % and _ are wildcards (undocumented)' '--brand' 'The whole brand, in either case (undocumented)' '--parser-name' 'Sold by this store, written exactly so (undocumented)' '--category' 'In this category (undocumented)' '--settlement' 'Sold in this settlement (undocumented)' '--promo' 'Promoted, or not (undocumented)' '--new' 'New, or not (undocumented)' '--hit' 'A hit, or not (undocumented)' '--adult' 'For adults, or not (undocumented)' '--price-min' 'From this price on (undocumented)' '--price-max' 'Up to this price (undocumented)' '--order' 'In which order the service lists (undocumented)' '--limit' 'At most so many, 100 a request (undocumented)' '--offset' 'Without the first so many (undocumented)' '--all' 'All of them, 100 a request (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog products sources'
      printf '%s\t%s\n' '--order' 'In which order the service lists (undocumented)' '--limit' 'At most so many, 100 a request (undocumented)' '--offset' 'Without the first so many (undocumented)' '--all' 'All of them, 100 a request (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog products snapshots'
      printf '%s\t%s\n' '--parser-name' 'Of this store (undocumented)' '--source-id' 'Of this source (undocumented)' '--order' 'In which order the service lists (undocumented)' '--limit' 'At most so many, 100 a request (undocumented)' '--offset' 'Without the first so many (undocumented)' '--all' 'All of them, 100 a request (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog products dynamics'
      printf '%s\t%s\n' '--parser-name' 'The store of the source' '--source-id' 'The source in that store' '--field' 'Which of its values' '--from' 'The first point: -30d, 2026-02-01' '--to' 'Until when (default now)' '--interval' 'How far the points are apart' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog products count'
      printf '%s\t%s\n' '--store' 'Of this store, by its parser_name' '--region' 'In this region, normalized or as it is written' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog products common'
      printf '%s\t%s\n' '--scope' 'What is compared' '--store' 'Of this store, by its parser_name' '--region' 'In this region, normalized or as it is written' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog history'
      printf '%s\t%s\n' '--field' 'Which of its values' '--store' 'Only sources of this store (parser_name)' '--source' 'Only this source (source_id)' '--from' 'The first point: -90d, 2026-02-01 (default -30d)' '--to' 'Until when (default now)' '--interval' 'How far points are apart' '--fill' 'What stands where nothing was observed' '--width' 'Columns of the chart (default the terminal, or 80)' '--height' 'Lines of the chart (default 15)' '--ascii' 'Draw with ASCII characters only' '--sparkline' 'Draw one line for each source, and nothing else' '--svg' 'Write the chart to a file too, or with - print it alone' '--force' 'With --svg: replace the file if it is there'
  end
  switch "$place"
    case 'catalog compare'
      printf '%s\t%s\n' '--search' 'Instead of ids: the products that the service finds (undocumented)' '--max-products' 'With --search: so many of them at most (10 unless given)' '--by' 'What a row is' '--store' 'Only sources of this store (parser_name)' '--region' 'Only sources in this region' '--field' 'Which price is compared' '--newer-than' 'Only prices that were observed since' '--trend' 'Show how each price moved in 30 days: one request more for each source' '--limit' 'At most so many rows'
  end
  switch "$place"
    case 'catalog check'
      printf '%s\t%s\n' '--below' 'It holds if the price is lower' '--above' 'It holds if the price is higher' '--change' 'It holds if the price moved so far: 10%, +10%, -10%' '--since' 'With --change: since when (default 1d ago)' '--field' 'Which value is judged (default lowest, with --change price)' '--store' 'Only sources of this store (parser_name)' '--source' 'Only this source (source_id)' '--any' 'It holds if it does for one source' '--all' 'It holds only if it does for every source' '--newer-than' 'Take what was observed longer ago for not known' '--wait' 'Look again until it holds, for so long' '--every' 'With --wait: time between two looks (5m unless given)'
  end
  switch "$place"
    case 'catalog categories list'
      printf '%s\t%s\n' '--parser-name' 'Of this store (undocumented)' '--depth' 'So deep in the tree (undocumented)' '--parent' 'Right below this one (undocumented)' '--search' 'Part of the title (undocumented)' '--limit' 'At most so many, 100 a request (undocumented)' '--offset' 'Without the first so many (undocumented)' '--all' 'All of them, 100 a request (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog categories tree'
      printf '%s\t%s\n' '--parser-name' 'Of this store (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog settlements list'
      printf '%s\t%s\n' '--country' 'In this country, written exactly so (undocumented)' '--region' 'In this region, written exactly so (undocumented)' '--search' 'Part of the name (undocumented)' '--limit' 'At most so many, 100 a request (undocumented)' '--offset' 'Without the first so many (undocumented)' '--all' 'All of them, 100 a request (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'catalog cursors'
      printf '%s\t%s\n' '--parser-name' 'Of this store (undocumented)' '--param' 'Any other parameter, sent as it is'
  end
  switch "$place"
    case 'config list'
      printf '%s\t%s\n' '--show-origin' 'Say where each value comes from: which variable, which file' '--all' 'Include the settings that have no value' '-a' 'Include the settings that have no value'
  end
  switch "$place"
    case 'sandbox start'
      printf '%s\t%s\n' '--empty' 'Start without the sample data' '--port' 'Port of the alert manager, which the other services follow; 0 for free ones' '--fast' 'Divide the times until a delivery is sent, and sent again, and the lives of tokens, by this' '--auto-approve' 'Let whoever signs in to the recording service in, without a page' '--trap' 'Switch on a trap of the recording service or of the catalog' '--no-loopback-receivers' 'Refuse receivers on this machine and by http, as the real service does'
  end
  switch "$place"
    case 'sandbox run'
      printf '%s\t%s\n' '--empty' 'Start without the sample data' '--auto-approve' 'Let whoever signs in to the recording service in, without a page'
  end
  switch "$place"
    case '' 'alerts' 'silences' 'webhooks' 'oauth' 'catalog' 'alerts list' 'alerts get' 'alerts groups' 'alerts check' 'alerts create' 'alerts resolve' 'alerts receivers' 'alerts status' 'silences list' 'silences get' 'silences create' 'silences ack' 'silences run' 'silences update' 'silences extend' 'silences keepalive' 'silences recreate' 'silences expire' 'silences export' 'silences import' 'webhooks list' 'webhooks get' 'webhooks create' 'webhooks update' 'webhooks enable' 'webhooks rotate' 'webhooks delete' 'webhooks test' 'webhooks deliveries' 'webhooks samples' 'webhooks doctor' 'oauth login' 'oauth status' 'oauth token' 'oauth refresh' 'oauth logout' 'oauth clients register' 'oauth discovery' 'catalog products list' 'catalog products get' 'catalog products sources' 'catalog products snapshots' 'catalog products dynamics' 'catalog products count' 'catalog products common' 'catalog history' 'catalog compare' 'catalog check' 'catalog categories list' 'catalog categories get' 'catalog categories tree' 'catalog settlements list' 'catalog settlements get' 'catalog cursors' 'catalog health'
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
