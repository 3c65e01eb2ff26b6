import { inflateSync } from 'node:zlib';

/**
 * One second of silence in each format, written by FFmpeg and deflated. `live` has no length, like recordings of browsers.
 */
const PACKED = {
  mp3: 'eNrzdDFmYQABLgY4+P854gCc45mXlg+k+IFYjoGB5Q2Dtra2sbGxlZWVIxB4enoGBASEA0F8fHxaWlouEJSWltbU1DQDQVdX16RJk2YCwYIFC1asWLEeCLZt27Zv376jQHDmzJkrV67cBoJHjx69evXqIxD8+PHj////IHt9EsvSGNCBChPUYSxvXho4LmdAdrPEESDF7AHW6+jraqxnaGAQigR8HEFqxGFqsKiAqdEjQo0rEWpiiFBTTISaLiLULCRCzQ4i1JwnQs0zItS8GFVDgZrQUBQ1odjBqBrK1QAASJyLnA==',
  m4a: 'eNqlUs1Kw0AQnk1T7UGkQkWRgBXqTUtbtHhRiicP3kTxoIe0u2lDd5OQ3RYU1DyKD+NzeBN8Ac91Nk3JtgVBOuwwv7vf/CwAOJ56inwZCgALtERuieikCQAlL2YM5aOgrvq04Nod99qteuus3my0wGp0NsludX0VBijURRiOEYSL8YDCHBW+UyagT05kPmvR7sCfZOF5UbE7RP1BDVPMwvJrGjv3kf/j1hhVEqXDuFT5Df2und0lP4L6LipVQRd7v0gALpPbj9Q4HlAezyIyHAVm5g3a9MoNKGc6h7wLP/BQKUsx92iNTv0OjZlntLAxinl1qhMqVZej/iqVpEZOgD/CXWqbQHlWKlKbSSrT0SVJcohBG+VOZzsN7uN0rLcieoqV0t0XrKFGcBVQ6ao4G880R49DqnR02bo0ip0hWxrLwep6RjWatzJ5j7Fno2vt1yXYK3JFql5oYB4h78l+RLURh5xntZLJJK2w248gj5gVno+o0rM8FUzNZnpgLhg/RexGETeXXPLxF/0CoUtuKw==',
  fragments:
    'eNq9U71KA0EQnr3En0IkQoIWghEUBFFM0KCFcmBjYSfaqMUle0cOb+/C7iSohdxjWPgg6WysfAaxE3wASwtnNzmyOUEQweXmvpnZ2d2Zb3YBoBrgTSdUiQBwQCNJg6QuOts18t2LJOkBQCR6bQ5jo/BugJlvNNh4VN524cfh0IJHlN4V6Rd4Zc4s/LC78bFfn8vOBQ89UqqC5+s6SPX/9MkYG20eyWxGJd3Yjjwhmx95MY98HcMmRRgHpJSUGNt0hQ/8i1z6gZXeTFdG1aH+rLAZEd4pVNyKiakR3reSGJRGqULDV1yZlqRpukqTRcJ5t2Iml1wtE+SZKE+fvcEkaYxohnITJYIVYzJHVFbmZKuWZZfJvs0RTTGtxLLXRM+/1tSiNJhlnm/QfpejrmxH+JhVuGzTTS2SXqcT2Yumw0jppD/oXhqqRdC26Xqhu6P9Kzjw740OdvoARa1UnGExGHDMZfWAUve4oN1zJJ/ZmiEW/x+ddIBwKbiHrw4ce71Wo75Z392sbdXB2XJn2UJ16i9Cmx+KQOourCMhG79vOY6cPjNPjriXWeMPvwA/FnYR',
  ogg: 'eNrzT08PZmBiQANMGluLGIX9C0qLPVITUxgZLRgbdoMl/EHKUQAjEH8+feE2oxhIeUhiejEbUCQtLbcgNR2hA6odYjgQCxvoqRqxs5EKOLif7Fywp4WD/dhmvmOjJH4SHPIsO/YgQp4ZiBdeC1/FyAZRAQDWxZWd',
  webm: 'eNqTcr2/eL5TWyOj03cg/tTI4vS5kcOpqaU8NSnXqR3IbW1kkghuSGdkAAHmX4K+s0t2+e7uDl7dIuq5Mi14TeNCCE8sZF02kHfMd3cPkCcUcjg9eE0TowGEKxO8GyjZxPzkDcQchkgGWgGQqxZoXd/YzO/k4NvQ4pNYlhbuCKZcOjsc+hvAikCOfboO6paY642MxUc7oPoZ5zQyKG2d01yal9LRyNDW5hjvHxAaHLaqOVlvQdjuFpYjWxiaG5keTpzfyLi1w+F5AVhTUkqjQPKiyf4FpcUeqYkpjIwWjA27wTKggNhaXLwp+UB3MsKO9BMLXRd3uIQGOYZ4+vu5tE82MLACIUM9AwMLAzBgkHfeVupU8ryRYXF3IwNDAwf3k50L9rQs7mpkEG3gYD+2me8YiK2JxLZFYgcisVOR2JVI7F4k9kIk9lYk9kkk9l0k9kcEm5EViS2JxNZFYjsisUOR2JlI7Fok9kQk9lIk9k4k9lkk9kMk9lcEm4kTiS2LxDZEYrsisSOR2LlI7EYk9lQk9kok9l4k9kUk9lMk9k8Em5kXia2IxDZFYnsisWOR2IVI7FYk9kwk9lok9kEk9lUoe8G0hUDeSwYIb3Yje+miFoaz/xJAuXXi7v7NjQzbu4ClwscmxqwPjcwAy+qGSA==',
  live: 'eNrF0t0rg1EcB/BzNjLJW5lQEncU5UK5UdsjZWWZxqQIeyGJaGa5UM+xZ7MsF9KUrOwlZV5WYmo9XCiUCxcu5EpS1m7cIMkN9myrff8Dvzqdz/ecfvWrc6o6nkLbnItR7iu53lkO98EU3JJgtxinuOVkdDJZhZ4fp7/pKtVuzfm0oke/Lyg14TH9AQukU3lvZDKZxFdKUmUn/1PSVN6GhyNHMafS8kLX6PxYvzq1SRPGI5nxBh8YtV65M03Ux0hd1OewTZvdjLhc6uFuXZ/esOcwNfkNopBzeUIcTPa8ts1o1K1KzKSajGZWYgqud8/YrJ2WUTOlrZQXUzc17ac2TpdgJORhhPCKgpeY/0wIrTCi5BV518dF15LrwW3gHrAFvABeBQfAUfAN+BH8ljXNBVeCG8FqcB94ArwIXgPvgGPgW/Az+DNrWT64GtwM7gAPgKfADOwFh8Hn4DtwHPydtbwQXAtuAWvAQ+BZsBO8CT4EX2Qs/ardxJL8XnpEkjn0bwSSqYyk0xbLswUFcvsz8gc/S2JW',
  flac: 'eNrty78KQQEUx/Hj+nf9XZSSQlJeQOZbRl7ARjfXpBgYlMHiAVwbk90bWMSkkJRsjEpJom4RznkM9ft0hu/wO0ahnCOipKIpGpGPz/agG1Fci50i2UZp1NE352Hfuws5iIIunhpGrV6pclCXEgQAAAAAAAAAAAAAAAAAAAD/72ulVFpyrFuSthXnOCipLDjDPUn7nLP9kXTs5cmUdG45zYuk68CZ1iXdR858VFK9c06mkp4n52wh6X1zNguSvhdnJCPpv3KOil9roAbsnHP/D6/7Rrs=',
} as const;

/** The name of a fixture. */
export type RecordingName = keyof typeof PACKED | 'wav';

/** Returns a recording of about one second. */
export function recordingOf(name: RecordingName): Buffer<ArrayBuffer> {
  if (name === 'wav') return wavOf(1);
  return Buffer.from(inflateSync(Buffer.from(PACKED[name], 'base64')));
}

/** Returns a WAV file with silence: 8 kHz, one channel, 8 bits. Source: Multimedia Programming Interface 1.0, WAVE. */
export function wavOf(seconds: number): Buffer<ArrayBuffer> {
  const size = seconds * 8_000;
  const wav = Buffer.alloc(44 + size, 0x80);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + size, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8_000, 24);
  wav.writeUInt32LE(8_000, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(size, 40);
  return wav;
}
