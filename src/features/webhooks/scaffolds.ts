/** Receivers to begin with, complete and ready to run: they pass `webhooks check-receiver`. */

export const FRAMEWORKS = ['express', 'fastify', 'flask', 'django', 'go', 'php'] as const;

export type Framework = (typeof FRAMEWORKS)[number];

/** Shared by the two for Node.js. They use no template literals, which would have to be escaped here. */
const NODE_VERIFY = `
const secret = process.env.SVC_WEBHOOK_SECRET;
if (!secret) throw new Error('SVC_WEBHOOK_SECRET is not set');

// The HMAC covers the exact bytes that arrived: verify them before anything parses them.
function isGenuine(headers, body) {
  const timestamp = headers['x-service-timestamp'] ?? '';
  // Digits only, and not older than five minutes.
  if (!/^\\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const expected = 'sha256=' + createHmac('sha256', secret).update(timestamp + '.').update(body).digest('hex');
  const given = Buffer.from(headers['x-service-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}

// An event can be delivered more than once. Use a unique key in your database instead of this.
const seen = new Set();

function receive(event) {
  if (seen.has(event.id)) return;
  seen.add(event.id);
  // Only data.audio_id is sure to be there. Treat all text as untrusted. Ignore types that you do not know.
  if (event.type === 'summary.completed') console.log('summary of', event.data.audio_id);
}
`;

const EXPRESS = `// npm install express; SVC_WEBHOOK_SECRET=... node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';
${NODE_VERIFY}
const app = express();

// express.raw, not express.json; summaries can be larger than the default limit.
app.post('/hook', express.raw({ type: '*/*', limit: '8mb' }), (request, response) => {
  if (!isGenuine(request.headers, request.body)) return response.sendStatus(401);
  let event;
  try {
    event = JSON.parse(request.body);
  } catch {
    return response.sendStatus(400);
  }
  // The response must be sent within 5 seconds: work that takes longer belongs in a queue.
  response.sendStatus(204);
  receive(event);
});

app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
`;

const FASTIFY = `// npm install fastify; SVC_WEBHOOK_SECRET=... node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
${NODE_VERIFY}
// Summaries can be larger than the default limit.
const app = Fastify({ bodyLimit: 8 * 1024 * 1024 });

// The bytes instead of parsed JSON.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body));

app.post('/hook', (request, reply) => {
  if (!isGenuine(request.headers, request.body)) return reply.code(401).send();
  let event;
  try {
    event = JSON.parse(request.body);
  } catch {
    return reply.code(400).send();
  }
  // The response must be sent within 5 seconds: work that takes longer belongs in a queue.
  reply.code(204).send();
  receive(event);
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
`;

/** Shared by the two in Python. */
const PYTHON_VERIFY = `
SECRET = os.environ["SVC_WEBHOOK_SECRET"].encode()


# The HMAC covers the exact bytes that arrived: verify them before anything parses them.
def is_genuine(headers, body):
    timestamp = headers.get("X-Service-Timestamp", "")
    # Digits only, and not older than five minutes.
    if not re.fullmatch(r"[0-9]{1,15}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    given = headers.get("X-Service-Signature", "")
    return hmac.compare_digest(given.encode(), ("sha256=" + digest).encode())


# An event can be delivered more than once. Use a unique key in your database instead of this.
seen = set()


def receive(event):
    if event["id"] in seen:
        return
    seen.add(event["id"])
    # Only data.audio_id is sure to be there. Treat all text as untrusted. Ignore types that you do not know.
    if event["type"] == "summary.completed":
        print("summary of", event["data"]["audio_id"])
`;

const FLASK = `# pip install flask; SVC_WEBHOOK_SECRET=... python3 receiver.py
import hashlib
import hmac
import json
import os
import re
import time

from flask import Flask, request
${PYTHON_VERIFY}

app = Flask(__name__)
# Summaries can be large.
app.config["MAX_CONTENT_LENGTH"] = 8 * 1024 * 1024


@app.post("/hook")
def hook():
    # request.get_data, not request.get_json.
    body = request.get_data()
    if not is_genuine(request.headers, body):
        return "", 401
    try:
        event = json.loads(body)
    except ValueError:
        return "", 400
    # The response must be sent within 5 seconds: work that takes longer belongs in a queue.
    receive(event)
    return "", 204


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", 3000)))
`;

const DJANGO = `# pip install django; SVC_WEBHOOK_SECRET=... python3 receiver.py
# In a project: the view goes to views.py, its path to urls.py and the limit to settings.py.
import hashlib
import hmac
import json
import os
import re
import time
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
${PYTHON_VERIFY}

@csrf_exempt
@require_POST
def hook(request):
    # request.body, not request.POST.
    if not is_genuine(request.headers, request.body):
        return HttpResponse(status=401)
    try:
        event = json.loads(request.body)
    except ValueError:
        return HttpResponse(status=400)
    # The response must be sent within 5 seconds: work that takes longer belongs in a queue.
    receive(event)
    return HttpResponse(status=204)


urlpatterns = [path("hook", hook)]

if __name__ == "__main__":
    settings.configure(
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        # Summaries can be larger than the default limit.
        DATA_UPLOAD_MAX_MEMORY_SIZE=8 * 1024 * 1024,
    )
    make_server("127.0.0.1", int(os.environ.get("PORT", 3000)), get_wsgi_application()).serve_forever()
`;

const GO = `// SVC_WEBHOOK_SECRET=... go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

var (
	secret = []byte(os.Getenv("SVC_WEBHOOK_SECRET"))
	digits = regexp.MustCompile("^[0-9]+$")
	// An event can be delivered more than once. Use a unique key in your database instead of this.
	seen sync.Map
)

type event struct {
	ID   string
	Type string
	Data json.RawMessage
}

// The HMAC covers the exact bytes that arrived: verify them before anything parses them.
func isGenuine(header http.Header, body []byte) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// Digits only, and not older than five minutes.
	if err != nil || !digits.MatchString(timestamp) || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(header.Get("X-Service-Signature")), []byte(expected))
}

func receive(one event) {
	if _, known := seen.LoadOrStore(one.ID, true); known {
		return
	}
	// Only data.audio_id is sure to be there. Treat all text as untrusted. Ignore types that you do not know.
	if one.Type == "summary.completed" {
		log.Printf("summary: %.80q", one.Data)
	}
}

func hook(response http.ResponseWriter, request *http.Request) {
	// Summaries can be large.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 8<<20))
	if err != nil {
		response.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !isGenuine(request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var one event
	if json.Unmarshal(body, &one) != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	// The response must be sent within 5 seconds: work that takes longer belongs in a queue.
	response.WriteHeader(http.StatusNoContent)
	receive(one)
}

func main() {
	if len(secret) == 0 {
		log.Fatal("SVC_WEBHOOK_SECRET is not set")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.HandleFunc("/hook", hook)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
`;

const PHP = `<?php
// SVC_WEBHOOK_SECRET=... php -S 127.0.0.1:3000 receiver.php

$secret = getenv('SVC_WEBHOOK_SECRET');
if (!$secret) {
    http_response_code(500);
    exit('SVC_WEBHOOK_SECRET is not set');
}

// The HMAC covers the exact bytes that arrived: verify them before anything parses them.
// php://input has no limit of its own; a web server in front of PHP must let at least 2 MiB through.
$body = file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
$given = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
$expected = 'sha256=' . hash_hmac('sha256', $timestamp . '.' . $body, $secret);
// Digits only, and not older than five minutes.
$fresh = preg_match('/^[0-9]+$/D', $timestamp) && abs(time() - (int) $timestamp) <= 300;
if (!$fresh || !hash_equals($expected, $given)) {
    http_response_code(401);
    exit;
}

$event = json_decode($body, true);
if (!is_array($event)) {
    http_response_code(400);
    exit;
}

// The response must be sent within 5 seconds: work that takes longer belongs in a queue.
http_response_code(204);

// An event can be delivered more than once: insert $event['id'] into a table with a unique key first.
// Only data.audio_id is sure to be there. Treat all text as untrusted. Ignore types that you do not know.
if ($event['type'] === 'summary.completed') {
    error_log('summary of ' . $event['data']['audio_id']);
}
`;

export const SCAFFOLDS: Readonly<Record<Framework, string>> = {
  express: EXPRESS,
  fastify: FASTIFY,
  flask: FLASK,
  django: DJANGO,
  go: GO,
  php: PHP,
};
