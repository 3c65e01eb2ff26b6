import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A line of text as the whole answer. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
    .end(text.endsWith('\n') || status === 200 ? text : `${text}\n`);
}

/** A page of the platform's own, which loads nothing. */
export function answerPage(response: ServerResponse, html: string): void {
  response
    .writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      'X-Content-Type-Options': 'nosniff',
    })
    .end(html);
}

/** Answers on a socket that has no response object, and ends it. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  const body = `${status}\n`;
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
