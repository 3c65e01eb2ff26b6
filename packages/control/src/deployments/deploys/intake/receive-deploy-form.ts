import type { Readable } from 'node:stream';
import type { Builder, StoredArchive } from '@berth/builder';
import { createError, createValidationError, deployFormSchema, LIMITS, type ValidationIssue } from '@berth/contract';
import { pumpBody } from '@berth/http';
import { BerthError, type Clock } from '@berth/kit';
import { Busboy, type BusboyInstance } from '@fastify/busboy';

/** Part names that hold the archive. Source: docs/contract/control-plane.md §2. */
const ARCHIVE_PARTS: ReadonlySet<string> = new Set(['source_archive.0', 'source_archive']);

/** Bounds of a deploy form besides its archive. The contract has 14 fields; unknown ones are ignored. */
const FORM_LIMITS = {
  fields: 64,
  parts: 80,
  fieldNameBytes: 100,
  fieldBytes: LIMITS.formFieldBytes,
  headerPairs: 32,
  headerBytes: 16 * 1024,
  /** Everything together: the archive, the fields, the lines between them. */
  bodyBytes: LIMITS.archiveBytes + 16 * 2 ** 20,
} as const;

/** A received deploy form. */
export interface ReceivedForm {
  /** Texts of the fields that the contract knows, as sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** On disk; may have no bytes. The receiver discards it. */
  readonly archive: StoredArchive | undefined;
  /** The name that the archive's part had. */
  readonly archivePart: string;
  /** Issues of the form itself: repeated or overlong fields. */
  readonly issues: readonly ValidationIssue[];
}

export interface ReceiveFormOptions {
  readonly body: Readable;
  readonly contentType: string;
  readonly builder: Pick<Builder, 'receive' | 'discard'>;
  readonly clock: Clock;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(Object.keys(deployFormSchema.shape));

/**
 * Reads a deploy form as a stream: fields in any order, the archive straight to disk. When it throws, nothing of it
 * is left behind, and the rest of the body is unread.
 * @throws `unsupported_media_type`, `bad_request`, `payload_too_large`; `invalid` when the archive is too large or there
 *   are too many fields.
 */
export async function receiveDeployForm(options: ReceiveFormOptions): Promise<ReceivedForm> {
  const { body, contentType, builder, clock } = options;
  const parser = createParser(contentType);
  const failed = new AbortController();
  const fields: Record<string, string> = {};
  const issues: ValidationIssue[] = [];
  let archivePart: string | undefined;
  let receiving: Promise<StoredArchive> | undefined;

  parser.on('field', (name: string | undefined, value, isNameCut, isValueCut) => {
    if (name === undefined || isNameCut || !TEXT_FIELDS.has(name)) return;
    if (name in fields) issues.push(sentTwice(name));
    if (isValueCut) issues.push(issue(name, `is over ${FORM_LIMITS.fieldBytes} bytes`, 'too_long'));
    fields[name] = value;
  });
  parser.on('file', (name: string | undefined, stream) => {
    // An error after the reader has stopped was reported already.
    stream.on('error', () => {});
    if (name === undefined || !ARCHIVE_PARTS.has(name) || archivePart !== undefined) {
      if (name !== undefined && ARCHIVE_PARTS.has(name)) issues.push(sentTwice(name));
      stream.resume();
      return;
    }
    archivePart = name;
    receiving = builder
      .receive(stream, { maxBytes: LIMITS.archiveBytes, signal: failed.signal })
      .catch((error: unknown) => Promise.reject(tooLarge(error, name)));
    // Rejected at once instead of at the end of the form.
    receiving.catch((error: unknown) => failed.abort(error));
  });
  for (const limit of ['fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () =>
      failed.abort(
        createValidationError([{ loc: ['body'], msg: 'the form has too many fields', type: 'too_many_fields' }]),
      ),
    );
  }

  try {
    await pumpBody(body, parser, { clock, maxBytes: FORM_LIMITS.bodyBytes, signal: failed.signal });
    return { fields, archive: await receiving, archivePart: archivePart ?? 'source_archive.0', issues };
  } catch (error) {
    failed.abort(error);
    const archive = await receiving?.catch(() => undefined);
    if (archive) await builder.discard(archive);
    throw error;
  }
}

/** @throws `unsupported_media_type`, `bad_request` */
function createParser(contentType: string): BusboyInstance {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw createError('unsupported_media_type', 'Send the form as Content-Type: multipart/form-data.');
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // A field sent as a file (curl's `-F volumes=@file`) is a field, and an archive without a file name an archive.
      isPartAFile: (name, _type, fileName) =>
        name !== undefined && (ARCHIVE_PARTS.has(name) || (fileName !== undefined && !TEXT_FIELDS.has(name))),
      limits: {
        fields: FORM_LIMITS.fields,
        parts: FORM_LIMITS.parts,
        fieldNameSize: FORM_LIMITS.fieldNameBytes,
        fieldSize: FORM_LIMITS.fieldBytes,
        headerPairs: FORM_LIMITS.headerPairs,
        headerSize: FORM_LIMITS.headerBytes,
      },
    });
  } catch {
    throw createError('bad_request', 'The Content-Type has no boundary, so the form cannot be read.');
  }
}

function tooLarge(error: unknown, name: string): unknown {
  if (!BerthError.is(error, 'archive_too_large')) return error;
  const msg = `the archive is larger than ${LIMITS.archiveBytes} bytes (100 MiB); upload larger archives to a volume and send source_object`;
  return createValidationError([issue(name, msg, 'archive_too_large')]);
}

function sentTwice(name: string): ValidationIssue {
  return issue(name, ARCHIVE_PARTS.has(name) ? 'only one archive can be sent' : 'is sent twice', 'duplicate_field');
}

function issue(field: string, msg: string, type: string): ValidationIssue {
  return { loc: ['body', field], msg, type };
}
