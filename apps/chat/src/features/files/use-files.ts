import { useMemo } from 'react';
import { fileUrl } from '../../api/file-path.ts';
import { ConnectionLost, putFile } from '../../api/put-file.ts';
import type { ChatPage } from '../../page/page.ts';
import { usePage } from '../../page/page-context.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { createFileBrowser, type FileBrowser } from './file-browser.ts';
import { createFolderUploads, type FolderUploads } from './folder-uploads.ts';

interface Files {
  readonly browser: FileBrowser;
  readonly uploads: FolderUploads;
}

/** Kept with the page: files go on their way while the pane is closed. */
const filesOfPages = new WeakMap<ChatPage, Files>();

export function useFiles(): Files {
  const { t } = useChatTexts();
  const page = usePage();
  return useMemo(() => {
    const known = filesOfPages.get(page);
    if (known) return known;
    const { api, session, teamId, config } = page;
    const browser = createFileBrowser(api);
    const files: Files = {
      browser,
      uploads: createFolderUploads({
        put: (path, file, signal, onProgress) =>
          putFile({ session, teamId, url: fileUrl(path), file, signal, onProgress }).catch((error) => {
            throw error instanceof ConnectionLost ? new Error(t('files.lost')) : error;
          }),
        maxBytes: config.max_upload * 1024 ** 2,
        tooLarge: () => t('compose.tooLarge', { count: config.max_upload }),
        onStored: () => void browser.refresh(),
      }),
    };
    filesOfPages.set(page, files);
    return files;
  }, [page, t]);
}
