import { useMemo } from 'react';
import { type Agent, useAgent } from '../../api/agent-context.ts';
import { fileUrl } from '../../api/file-path.ts';
import { ConnectionLost, putFile } from '../../api/put-file.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { createFileBrowser, type FileBrowser } from './file-browser.ts';
import { createFolderUploads, type FolderUploads } from './folder-uploads.ts';

interface Files {
  readonly browser: FileBrowser;
  readonly uploads: FolderUploads;
}

/** Uploads go on while the pane is closed, so the files outlive the views that show them. */
const filesOfAgent = new WeakMap<Agent, Files>();

/** Returns the file browser and the uploads into folders of the workspace that is open. */
export function useFiles(): Files {
  const { t } = useChatTexts();
  const agent = useAgent();
  return useMemo(() => {
    const known = filesOfAgent.get(agent);
    if (known) return known;
    const { api, session, teamId, config } = agent;
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
    filesOfAgent.set(agent, files);
    return files;
  }, [agent, t]);
}
