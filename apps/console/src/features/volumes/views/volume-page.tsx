import type { ObjectsPage } from '@berth/contract';
import { BerthError } from '@berth/kit';
import {
  Button,
  buttonClass,
  Dialog,
  EmptyState,
  ErrorNote,
  Field,
  Form,
  FormActions,
  quote,
  Skeleton,
} from '@berth/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ChevronRight, FolderOpen, FolderPlus, SearchX } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useRights } from '../../../api/use-rights.ts';
import { PageHead } from '../../../components/page-head.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { crumbsOf, isFolderName } from '../state/folder-path.ts';
import { DropZone } from '../uploads/views/drop-zone.tsx';
import { UploadButtons } from '../uploads/views/upload-buttons.tsx';
import { FileBrowser } from './file-browser.tsx';
import { VolumeFacts } from './volume-facts.tsx';

/** Minimum number of entries for which the search field is shown. */
const MANY = 8;

/** Page of one folder of a volume, which the address names. Files dropped anywhere on it are uploaded. */
export function VolumePage() {
  const { t } = useConsoleTexts();
  const { volume } = useParams({ from: '/volumes/$volume' });
  const { path: folder = '' } = useSearch({ from: '/volumes/$volume' });
  const canWrite = useRights().can('volumes');
  const [isNaming, setNaming] = useState(false);
  const [search, setSearch] = useState({ folder, text: '' });
  // A search applies only to the folder in which it was typed.
  const start = useDeferredValue(search.folder === folder ? search.text : '');
  const { entries, error, hasMore, refetch, readMore } = useFolder(volume, folder, start);
  const count = entries ? entries.folders.length + entries.files.length : 0;
  const listing = new URLSearchParams({ volume, prefix: folder + start, delimiter: '/' });
  if (BerthError.is(error, 'not_found')) return <MissingVolume name={volume} />;
  const argument = folder + start === '' ? '' : ` ${quote(folder + start)}`;
  return (
    <DropZone volume={volume} folder={folder}>
      <PageHead
        title={volume}
        command={{
          cli: `npx berth volume ls ${quote(volume)}${argument}`,
          http: { method: 'GET', path: `/v1/volume/objects?${listing}` },
        }}
      >
        {canWrite && (
          <>
            <Button icon={FolderPlus} onClick={() => setNaming(true)}>
              <span className="max-sm:sr-only">{t('files.newFolder')}</span>
            </Button>
            <UploadButtons volume={volume} folder={folder} />
          </>
        )}
      </PageHead>
      <VolumeFacts volume={volume} />
      <Crumbs volume={volume} folder={folder} />
      {(count >= MANY || start !== '') && (
        <Field
          className="mb-2"
          label={t('files.prefix')}
          type="search"
          value={search.folder === folder ? search.text : ''}
          onChange={(text) => setSearch({ folder, text })}
          spellCheck={false}
          dir="auto"
        />
      )}
      {error && !entries && <ErrorNote error={error} onRetry={refetch} />}
      {!entries && !error && <Skeleton rows={8} />}
      {entries && count === 0 && !hasMore && start === '' && <NoFiles volume={volume} folder={folder} />}
      {entries && count === 0 && start !== '' && (
        <p role="status" className="py-10 text-center text-ink-soft">
          {t('files.noneFound', { prefix: start })}
        </p>
      )}
      {entries && count > 0 && (
        // The key gives each folder its own selection.
        <FileBrowser key={folder} volume={volume} folder={folder} canWrite={canWrite} {...entries} onEnd={readMore} />
      )}
      {error && entries && <ErrorNote error={error} onRetry={refetch} />}
      {isNaming && <NewFolderDialog volume={volume} folder={folder} onClose={() => setNaming(false)} />}
    </DropZone>
  );
}

/** Replaces the page of a volume that doesn't exist. */
function MissingVolume({ name }: { readonly name: string }) {
  const { t } = useConsoleTexts();
  return (
    <EmptyState isPage icon={SearchX} title={t('volumes.missing')} text={t('volumes.missingText', { name })}>
      <Link to="/volumes" className={buttonClass()}>
        {t('volumes.showAll')}
      </Link>
    </EmptyState>
  );
}

/** Breadcrumbs from the volume's root to the folder that is shown. */
function Crumbs({ volume, folder }: { readonly volume: string; readonly folder: string }) {
  const { t } = useConsoleTexts();
  const crumbs = [{ name: t('files.root'), path: '' }, ...crumbsOf(folder)];
  return (
    <nav aria-label={t('files.path')} className="mb-2">
      <ol className="flex flex-wrap items-center gap-1 text-ink-soft">
        {crumbs.map(({ name, path }) => (
          <li key={path} className="flex min-w-0 items-center gap-1">
            {path !== '' && <ChevronRight aria-hidden className="size-3.5 shrink-0 rtl:rotate-180" />}
            <Link
              to="/volumes/$volume"
              params={{ volume }}
              search={path === '' ? {} : { path }}
              aria-current={path === folder ? 'page' : undefined}
              className="max-w-60 truncate rounded px-1 py-0.5 hover:bg-hover hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Empty state of a folder, with the command that uploads into it. */
function NoFiles({ volume, folder }: { readonly volume: string; readonly folder: string }) {
  const { t } = useConsoleTexts();
  const target = folder === '' ? '' : ` ${quote(folder.slice(0, -1))}`;
  return (
    <EmptyState
      icon={FolderOpen}
      title={t('files.empty.title')}
      text={t('files.empty.text')}
      command={`npx berth volume put ${quote(volume)} ./photos${target}`}
    />
  );
}

interface NewFolderDialogProps {
  readonly volume: string;
  readonly folder: string;
  onClose(): void;
}

/** Dialog that opens a folder that does not exist yet. Uploading the first file creates it. */
function NewFolderDialog({ volume, folder, onClose }: NewFolderDialogProps) {
  const { t } = useConsoleTexts();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const isGood = isFolderName(name);
  return (
    <Dialog title={t('files.newFolder')} description={t('files.newFolder.text')} isOpen onClose={onClose}>
      <Form
        onSubmit={() => {
          if (!isGood) return;
          onClose();
          void navigate({ to: '/volumes/$volume', params: { volume }, search: { path: `${folder}${name}/` } });
        }}
      >
        <Field
          label={t('shell.name')}
          value={name}
          onChange={setName}
          problem={name === '' || isGood ? undefined : t('files.newFolder.problem')}
          autoComplete="off"
          dir="auto"
        />
        <FormActions>
          <Button look="primary" type="submit" disabled={!isGood}>
            {t('files.newFolder.open')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}

/** The entries of a folder that were loaded so far. */
interface FolderListing {
  /** Undefined until the first page is loaded. */
  readonly entries: { readonly folders: readonly string[]; readonly files: ObjectsPage['objects'] } | undefined;
  readonly error: Error | null;
  readonly hasMore: boolean;
  refetch(): void;
  /** Loads the next page, unless there is none or it is already being loaded. */
  readMore(): void;
}

/** Returns the entries of `folder` whose names begin with `start`. */
function useFolder(volume: string, folder: string, start: string): FolderListing {
  const { client } = useConsole();
  const prefix = folder + start;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: QUERY_KEYS.folder(volume, folder, start),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.get('/v1/volume/objects', {
        params: { query: { volume, prefix, delimiter: '/', page_token: pageParam || undefined } },
        signal,
      }),
    getNextPageParam: ({ next_page_token }) => next_page_token,
    // The previous matches stay visible while the person types; another folder starts empty.
    placeholderData: (before, query) => (query?.queryKey[2] === folder ? keepPreviousData(before) : undefined),
  });
  return {
    entries: data && {
      folders: [...new Set(data.pages.flatMap((page) => page.folders ?? []))],
      files: data.pages.flatMap(({ objects }) => objects),
    },
    error,
    hasMore: hasNextPage,
    refetch: () => void refetch(),
    readMore() {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}
