"""Receivers in Python, each at a path of its own and wrong in one way; /correct is right. Prints its port, ends with its input."""
import hashlib
import hmac
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = sys.argv[1].encode()


class Refused(Exception):
    """The status to answer with."""


def verify(headers, body, same=hmac.compare_digest, fresh=None):
    timestamp = headers.get("X-Service-Timestamp", "")
    given = headers.get("X-Service-Signature", "")
    if not (fresh or is_fresh)(timestamp):
        raise Refused(401)
    expected = "sha256=" + hmac.new(KEY, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not same(given, expected):
        raise Refused(401)


def is_fresh(timestamp):
    return timestamp.isascii() and timestamp.isdigit() and abs(time.time() - int(timestamp)) <= 300


def parse(body):
    try:
        return json.loads(body)
    except ValueError:
        raise Refused(400)


def correct(headers, body):
    verify(headers, body)
    parse(body)


def prints_json_again(headers, body):
    verify(headers, json.dumps(parse(body), separators=(",", ":"), ensure_ascii=False).encode())


def strips_the_body(headers, body):
    verify(headers, body.strip())


def compares_pairs(headers, body):
    verify(headers, body, same=lambda given, expected: all(a == b for a, b in zip(given, expected)))


def compares_bytes_of_hex(headers, body):
    verify(headers, body, same=lambda given, expected: bytes.fromhex(given[7:]) == bytes.fromhex(expected[7:]))


def converts_the_timestamp(headers, body):
    verify(headers, body, fresh=lambda timestamp: abs(time.time() - int(timestamp)) <= 300)


def indexes_the_headers(headers, body):
    assert headers["X-Service-Signature"].startswith("sha256=")
    correct(headers, body)


def parses_first(headers, body):
    parse(body)
    verify(headers, body)


def reads_the_title(headers, body):
    verify(headers, body)
    event = parse(body)
    if event["type"] == "summary.completed":
        event["data"]["title"].strip()


def splits_at_the_last_dot(headers, body):
    verify(headers, body, fresh=lambda timestamp: abs(time.time() - float(timestamp.split(".")[0] or 0)) <= 300)


RECEIVERS = {function.__name__.replace("_", "-"): function for function in (
    correct, prints_json_again, strips_the_body, compares_pairs, compares_bytes_of_hex, converts_the_timestamp,
    indexes_the_headers, parses_first, reads_the_title, splits_at_the_last_dot,
)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            RECEIVERS[self.path.rsplit("/", 1)[1]](self.headers, body)
            status = 204
        except Refused as refused:
            status = refused.args[0]
        except Exception:
            status = 500
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
