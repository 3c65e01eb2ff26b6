// Someone's REST API, in a process of its own: prints its address. `/bytes/N` answers so many bytes, all else a short object.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PIECE = Buffer.alloc(65_536, 'x');

const server = createServer((request, response) => {
  const [, size] = /^\/bytes\/(\d+)$/.exec(request.url ?? '') ?? [];
  if (size === undefined) {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"items":[1,2,3]}');
    return;
  }
  let left = Number(size);
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': left });
  const write = () => {
    while (left > 0) {
      const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
      left -= piece.length;
      if (!response.write(piece)) return void response.once('drain', write);
    }
    response.end();
  };
  write();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
