import { inflateSync } from 'node:zlib';

/** An image, as tests inspect it. */
export interface Ink {
  readonly width: number;
  readonly height: number;
  /** Counts the pixels of an area whose color differs from the first pixel's. */
  count(area: { readonly fromX?: number; readonly toX?: number; readonly toY?: number }): number;
}

/** Reads a PNG of 8-bit RGBA without interlacing. Source: PNG specification, sections 5 and 9. */
export function readInk(png: Uint8Array): Ink {
  const bytes = Buffer.from(png);
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('no PNG');
  const [width, height, depth, color, interlace] = [
    bytes.readUInt32BE(16),
    bytes.readUInt32BE(20),
    bytes[24],
    bytes[25],
    bytes[28],
  ];
  if (depth !== 8 || color !== 6 || interlace !== 0) throw new Error('another kind of PNG than is read here');
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const pixels = unfilter(inflateSync(Buffer.concat(parts)), width * 4, height);
  return {
    width,
    height,
    count({ fromX = 0, toX = width, toY = height }) {
      let count = 0;
      for (let y = 0; y < toY; y++) {
        for (let x = fromX; x < toX; x++) {
          const at = (y * width + x) * 4;
          if (pixels[at] !== pixels[0] || pixels[at + 1] !== pixels[1]) count++;
        }
      }
      return count;
    },
  };
}

function unfilter(data: Buffer, stride: number, height: number): Uint8Array {
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const raw = data[y * (stride + 1) + 1 + x] ?? 0;
      const left = x >= 4 ? (out[y * stride + x - 4] ?? 0) : 0;
      const up = y > 0 ? (out[(y - 1) * stride + x] ?? 0) : 0;
      const corner = x >= 4 && y > 0 ? (out[(y - 1) * stride + x - 4] ?? 0) : 0;
      const add = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      out[y * stride + x] = raw + add;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
