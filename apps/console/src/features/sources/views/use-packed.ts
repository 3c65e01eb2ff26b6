import type { FileSettings } from '@berth/contract';
import { LIMITS } from '@berth/contract/limits';
import { BerthError } from '@berth/kit';
import { useEffect, useState } from 'react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { collectSource } from '../state/collect-source.ts';
import { packSource } from '../state/pack-source.ts';
import { readProjectFile } from '../state/read-project-file.ts';
import { nameOfSource } from '../state/source-name.ts';
import type { Source } from '../state/source-node.ts';

/** Progress of packing a source into an archive. */
export interface Packing {
  readonly archive?: Blob;
  /** Description of what is packed. */
  readonly words: string;
  readonly name?: string;
  /** Settings in the `berth.json` of a folder. */
  readonly settings?: FileSettings;
  /** Variables that its `berth.json` requires. */
  readonly requiredEnv?: readonly string[];
  readonly secretFiles?: readonly string[];
  readonly error?: unknown;
}

/** Packs a source as soon as it is available; undefined without a source. */
export function usePacked(source: Source | undefined): Packing | undefined {
  const { t, formats } = useConsoleTexts();
  const [packing, setPacking] = useState<Packing>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of language needs no new archive
  useEffect(() => {
    if (!source) return setPacking(undefined);
    const stop = new AbortController();
    const { signal } = stop;
    const show = (next: Packing) => {
      if (!signal.aborted) setPacking(next);
    };
    pack(source).catch((error: unknown) => show({ words: '', error }));
    return () => stop.abort();

    async function pack(given: Source): Promise<void> {
      if (given.kind === 'archive') return show(await checkArchive(given));
      show({ words: t('deploy.reading') });
      const entries = await collectSource(given.folder, signal);
      const { name: chosenName, settings, requiredEnv } = await readProjectFile(entries);
      const name = chosenName ?? (await nameOfSource(given.folder.name, entries));
      const { archive, files, secretFiles } = await packSource(entries, {
        signal,
        formatBytes: formats.bytes,
        onProgress: (read, total) => {
          const percent = formats.number(total === 0 ? 1 : read / total, { style: 'percent' });
          show({ words: t('deploy.packing', { percent }) });
        },
      });
      show({
        archive,
        name,
        settings,
        requiredEnv,
        secretFiles,
        words: t('deploy.packed', { count: files, size: formats.bytes(archive.size) }),
      });
    }

    async function checkArchive({ name, archive }: Extract<Source, { kind: 'archive' }>): Promise<Packing> {
      const size = formats.bytes(archive.size);
      if (archive.size > LIMITS.archiveBytes) {
        const message = t('deploy.archiveTooLarge', { size, limit: formats.bytes(LIMITS.archiveBytes) });
        throw new BerthError({ code: 'archive_invalid', status: 422, message });
      }
      return { archive, name: await nameOfSource(name, []), words: t('deploy.archive', { name, size }) };
    }
  }, [source]);
  return packing;
}
