// Serves a folder over HTTP: `node static-server.mjs FOLDER [--single-page]`, on 0.0.0.0:$PORT. This file is copied
// into the artifacts of static sites, so it is self-contained plain JavaScript for Node 18 and later.
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.htm': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.xml': 'application/xml',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.pdf': 'application/pdf',
  '.wasm': 'application/wasm',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
};

const [, , folder = '.', ...flags] = process.argv;
const isSinglePage = flags.includes('--single-page');
const root = await realpath(resolve(folder));

/** Returns the decoded segments of a request's path; undefined for a path that can't name a file. */
function parsePath(target) {
  let decoded;
  try {
    decoded = decodeURIComponent(target.split(/[?#]/, 1)[0]);
  } catch {
    return undefined;
  }
  if (!decoded.startsWith('/') || decoded.includes('\0')) return undefined;
  const segments = decoded.split('/').filter((segment) => segment !== '');
  // Dotfiles contain settings and secrets. RFC 8615 defines the exception.
  const isHidden = (segment, index) => segment.startsWith('.') && !(index === 0 && segment === '.well-known');
  if (segments.some(isHidden)) return undefined;
  return { segments, isFolder: decoded.endsWith('/') };
}

/** Returns the path and stats of a file or folder if its real path is below the root. */
async function find(segments) {
  try {
    const path = await realpath(join(root, ...segments));
    if (path !== root && !path.startsWith(root === sep ? sep : root + sep)) return undefined;
    return { path, stats: await stat(path) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(error.code)) return undefined;
    throw error;
  }
}

async function findFile(segments) {
  const found = await find(segments);
  return found?.stats.isFile() ? found : undefined;
}

/** Returns the response for a path: the file itself, a folder's index.html, `name.html` for `name`, or a fallback. */
async function route(target) {
  const parsed = parsePath(target);
  if (parsed) {
    const { segments, isFolder } = parsed;
    const found = await find(segments);
    if (found?.stats.isFile() && !isFolder) return { status: 200, file: found };
    if (found?.stats.isDirectory()) {
      const index = await findFile([...segments, 'index.html']);
      if (index && (isFolder || segments.length === 0)) return { status: 200, file: index };
      // Built from decoded segments, so that a path such as //host can't redirect to another site.
      if (index) return { status: 308, location: `/${segments.map(encodeURIComponent).join('/')}/` };
    }
    const last = segments.at(-1);
    const page = last && !isFolder ? await findFile([...segments.slice(0, -1), `${last}.html`]) : undefined;
    if (page) return { status: 200, file: page };
    if (!extname(last ?? '')) {
      const fallback = (await findFile(['200.html'])) ?? (isSinglePage ? await findFile(['index.html']) : undefined);
      if (fallback) return { status: 200, file: fallback };
    }
  }
  return { status: 404, file: await findFile(['404.html']) };
}

function isUnchanged(request, etag, modified) {
  const wanted = request.headers['if-none-match'];
  if (wanted !== undefined) {
    return wanted.trim() === '*' || wanted.split(',').some((each) => each.trim().replace(/^W\//, '') === etag);
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return since >= Date.parse(modified);
}

/**
 * Returns the requested range (RFC 9110, 14.2): undefined to send the whole file, null if the range is outside the
 * file. A request for several ranges gets the whole file.
 */
function parseRange(request, size, etag, modified) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
  const condition = request.headers['if-range'];
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (condition !== undefined && condition !== etag && condition !== modified) return undefined;
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return undefined;
  return start >= size ? null : { start, end };
}

function sendText(response, status, text, headers = {}) {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': body.length,
    ...headers,
  });
  response.end(body);
}

function sendFile(request, response, status, { path, stats }) {
  const etag = `"${stats.size.toString(16)}-${Math.floor(stats.mtimeMs).toString(16)}"`;
  const modified = new Date(Math.floor(stats.mtimeMs / 1000) * 1000).toUTCString();
  const headers = {
    'content-type': TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    // Browsers may cache the file but must revalidate it, so that a deploy is visible at once.
    'cache-control': 'public, max-age=0, must-revalidate',
    etag,
    'last-modified': modified,
    'accept-ranges': 'bytes',
  };
  if (status === 200 && isUnchanged(request, etag, modified)) {
    response.writeHead(304, headers);
    return response.end();
  }
  const range =
    status === 200 && request.method === 'GET' ? parseRange(request, stats.size, etag, modified) : undefined;
  if (range === null)
    return sendText(response, 416, 'Range Not Satisfiable', { 'content-range': `bytes */${stats.size}` });
  const { start, end } = range ?? { start: 0, end: stats.size - 1 };
  headers['content-length'] = end - start + 1;
  if (range) headers['content-range'] = `bytes ${start}-${end}/${stats.size}`;
  response.writeHead(range ? 206 : status, headers);
  if (request.method === 'HEAD' || stats.size === 0) return response.end();
  // A closed connection or an unreadable file ends the response; no error can be reported at this point.
  pipeline(createReadStream(path, { start, end }), response, () => {});
}

async function answer(request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return sendText(response, 405, 'Method Not Allowed', { allow: 'GET, HEAD' });
  }
  const { status, file, location } = await route(request.url ?? '/');
  if (location) return sendText(response, status, 'Moved', { location });
  if (file) return sendFile(request, response, status, file);
  return sendText(response, 404, 'Not Found');
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    if (response.headersSent) response.destroy();
    else sendText(response, 500, 'Internal Server Error');
  });
});
server.listen(Number(process.env.PORT ?? 8080), '0.0.0.0');
process.once('SIGTERM', () => {
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
