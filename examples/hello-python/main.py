"""A JSON greeting with nothing but the standard library."""

import json
import os
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path != "/":
            return self.answer(404, {"error": f"nothing at {url.path}"})
        name = parse_qs(url.query).get("name", ["world"])[0]
        self.answer(
            200,
            {
                "message": f"Hello, {name}",
                "service": os.environ.get("K_SERVICE", "local"),
                "python": sys.version.split()[0],
            },
        )

    def answer(self, status, body):
        payload = json.dumps(body).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def main():
    port = int(os.environ.get("PORT", "8080"))
    server = ThreadingHTTPServer(("0.0.0.0", port), Handler)
    # shutdown() waits for serve_forever() to return, so it can't be called from this thread.
    signal.signal(
        signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start()
    )
    print(f"listening on port {port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
