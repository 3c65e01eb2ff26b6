import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Responds with a line of text. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    .end(text.endsWith('\n') || status === 200 ? text : `${text}\n`);
}

/** Responds with a page that loads nothing. */
export function answerPage(response: ServerResponse, html: string): void {
  response
    .writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      'X-Content-Type-Options': 'nosniff',
    })
    .end(html);
}

/** Redirects permanently to `location` with the same method and body (308, RFC 9110 section 15.4.9). */
export function answerRedirect(response: ServerResponse, location: string): void {
  response.setHeader('Location', location);
  answerText(response, 308, `This is served at ${location}`);
}

/** Does what {@link answerRedirect} does, on a socket without a response object. */
export function redirectUpgrade(socket: Duplex, location: string): void {
  socket.end(
    `HTTP/1.1 308 Permanent Redirect\r\nConnection: close\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
  );
}

/** Responds on a socket without a response object, and ends it. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  const body = `${status}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
