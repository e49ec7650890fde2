curl https://hooks.example/in \
  -H 'Content-Type: application/json' \
  -H 'X-Service-Event: summary.completed' \
  -H 'X-Service-Delivery: dlv_1' \
  -H 'X-Service-Timestamp: 1767225600' \
  -H 'X-Service-Signature: sha256=27379e3f8c2b440c2138e951e1720a7594cc54c7678ac3b2b37972f4b8d82107' \
  --data-raw '{"id": "evt_1", "type": "summary.completed", "created_at": "2026-01-01T00:00:00Z",
 "data": {"audio_id": "a_1", "title": "Caf\u00e9 — \"5 < 6\" \/ 日本", "duration_ms": 1.0, "path": "C:\\x"}}'

curl https://hooks.example/in \
  -H 'Content-Type: application/json' \
  -H 'X-Service-Event: summary.completed' \
  -H 'X-Service-Delivery: dlv_1' \
  -H 'X-Service-Timestamp: 1767225600' \
  -H 'X-Service-Signature: sha256=27379e3f8c2b440c2138e951e1720a7594cc54c7678ac3b2b37972f4b8d82107' \
  --data-raw '{"id": "evt_1", "type": "summary.completed", "created_at": "2026-01-01T00:00:00Z",
 "data": {"audio_id": "a_2", "title": "Caf\u00e9 — \"5 < 6\" \/ 日本", "duration_ms": 1.0, "path": "C:\\x"}}'

curl https://hooks.example/in \
  -H 'Content-Type: application/json' \
  -H 'X-Service-Event: summary.completed' \
  -H 'X-Service-Delivery: dlv_1' \
  -H 'X-Service-Timestamp: 1767225600' \
  -H 'X-Service-Signature: sha256=27379e3f8c2b440c2138e951e1720a7594cc54c7678ac3b2b37972f4b8d82107' \
  --data-raw '{"id":"evt_1","type":"summary.completed","created_at":"2026-01-01T00:00:00Z","data":{"audio_id":"a_1","title":"Café — \"5 < 6\" / 日本","duration_ms":1,"path":"C:\\x"}}'
