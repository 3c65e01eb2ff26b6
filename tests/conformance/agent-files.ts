import { fromSection } from './requirement.ts';

/** Section 5 of the agent's page: files and trash. */
export const AGENT_FILES = fromSection('agent-api §5', {
  'files.list': 'GET /files answers entries, folders first, in the asked order; a missing folder is [].',
  'files.list-bounds': 'A search gives at most 12, a recursive listing at most 2,000.',
  'files.read': 'GET /files/{path} gives the bytes, with download as an attachment.',
  'files.zip': 'A folder is given as a zip.',
  'files.render': 'as=pdf and as=slides are 415 without a render service, and when it fails.',
  'files.as-pdf': 'as=pdf gives the PDF of doc docx odt rtf ppt pptx odp xls xlsx ods epub.',
  'files.as-slides': 'as=slides gives {count,slides:[data URI]} of ppt pptx odp.',
  'files.as-cached': 'What was rendered is kept by its content.',
  'files.write': 'PUT takes a raw body or the form field file and answers {ok,path}; parents are made.',
  'files.atomic': 'What was there stays whole until the upload is; one that is cut off leaves nothing.',
  'files.too-large': 'An upload over max_upload is 413.',
  'files.folder': 'POST makes a directory.',
  'files.batch':
    'POST /files-batch stores many files or a zip, all or nothing, and answers {ok, files: <count>, paths}; names have no line breaks.',
  'files.content-range': 'PUT with Content-Range is 400 and stores nothing.',
  'files.move': 'PATCH {to} answers {ok}; 404, 409 where something is, 422 without to.',
  'files.delete': 'DELETE answers {ok,trash_id,kind}.',
  'trash.list': 'GET /trash lists newest first; entries over 30 days go at listing or the next deletion.',
  'trash.restore': 'POST /trash/{id}/restore answers {ok,path}; a taken path becomes name (restored).ext.',
  'trash.delete': 'DELETE /trash/{id} and DELETE /trash delete for good.',
});
