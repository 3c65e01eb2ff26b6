import { type Agent, useAgent } from '../../api/agent-context.ts';
import { fileUrl } from '../../api/file-path.ts';
import { randomText } from '../../session/pkce.ts';
import { createUploadQueue } from '../uploads/upload-queue.ts';
import { createFileBrowser } from './file-browser.ts';

type Files = ReturnType<typeof createFiles>;

/** Uploads go on while the pane is closed, so the files outlive the views that show them. */
const filesOfAgent = new WeakMap<Agent, Files>();

/** Number of concurrent uploads to folders; more would share the same bandwidth and not be faster. */
const AT_ONCE = 3;

/** Returns the file browser, and the uploads into folders, of the workspace that is open. */
export function useFiles(): Files {
  const agent = useAgent();
  const files = filesOfAgent.get(agent) ?? createFiles(agent);
  filesOfAgent.set(agent, files);
  return files;
}

function createFiles({ api, putFile }: Agent) {
  const browser = createFileBrowser(api);
  const uploads = createUploadQueue({
    ...{ atOnce: AT_ONCE, createId: randomText },
    onIdle: () => void browser.refresh(),
  });
  return {
    ...{ browser, uploads },
    /** Uploads files to paths of the workspace. */
    add: (files: readonly { readonly path: string; readonly file: File }[]) =>
      uploads.add(
        files.map(({ path, file }) => ({
          ...{ name: path, sizeBytes: file.size },
          run: async ({ signal, onProgress }) => {
            await putFile({ url: fileUrl(path), file, signal, onProgress });
            return undefined;
          },
        })),
      ),
  };
}
