/** The audio format of a recording. */
export interface RecordingKind {
  /** The file extension, by which speech services distinguish formats. */
  readonly extension: 'wav' | 'mp3' | 'ogg' | 'webm' | 'm4a' | 'flac';
  readonly mediaType: string;
}

const WAV: RecordingKind = { extension: 'wav', mediaType: 'audio/wav' };
const OGG: RecordingKind = { extension: 'ogg', mediaType: 'audio/ogg' };
const FLAC: RecordingKind = { extension: 'flac', mediaType: 'audio/flac' };
const WEBM: RecordingKind = { extension: 'webm', mediaType: 'audio/webm' };
const M4A: RecordingKind = { extension: 'm4a', mediaType: 'audio/mp4' };
const MP3: RecordingKind = { extension: 'mp3', mediaType: 'audio/mpeg' };

/** The magic number of EBML, the container of WebM. Source: RFC 8794 section 8.1. */
const EBML_HEX = '1a45dfa3';
/**
 * Second bytes of layer III frames of MPEG audio 1, 2 and 2.5: three sync bits, version and layer. Source: ISO 11172-3
 * 2.4.1.3.
 */
const MP3_FRAMES = [0xe2, 0xe3, 0xf2, 0xf3, 0xfa, 0xfb];

/** Detects the format from the first bytes; undefined for formats that speech services don't read. */
export function recordingKind(recording: Uint8Array): RecordingKind | undefined {
  const bytes = Buffer.from(recording.subarray(0, 12));
  const isText = (text: string, at: number) => bytes.toString('latin1', at, at + text.length) === text;
  if (isText('RIFF', 0) && isText('WAVE', 8)) return WAV;
  if (isText('OggS', 0)) return OGG;
  if (isText('fLaC', 0)) return FLAC;
  if (bytes.toString('hex', 0, 4) === EBML_HEX) return WEBM;
  // The file type box comes first. Source: ISO 14496-12 4.3.
  if (isText('ftyp', 4)) return M4A;
  if (isText('ID3', 0) || (bytes[0] === 0xff && MP3_FRAMES.includes(bytes[1] as number))) return MP3;
  return undefined;
}
