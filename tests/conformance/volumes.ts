import { fromSection } from './requirement.ts';

/** Section 5: volumes and their objects. */
export const VOLUMES = fromSection('control-plane §5', {
  'volume.create': 'POST /v1/volume/create answers {name, created}; created is false when it was there.',
  'volume.list': 'GET /v1/volume/list has name, attached_to, created_at, size_bytes and object_count.',
  'volume.delete': 'POST /v1/volume/delete is 409 while the volume is attached, naming the deployments.',
  'volume.restore': 'A deleted volume can be restored; 409 when the name is taken.',
  'volume.per-account': 'Names are per account.',
  'volume.mount': 'A mounted directory and its objects are the same bytes, visible both ways within a second.',
  'volume.mount-shared': 'Two deployments on one volume see each other’s writes.',
  'volume.read-only': 'A read-only mount cannot be written.',
  'volume.sub-path': 'A sub_path mount is that folder of the volume and nothing above it; it is created when missing.',
  'volume.detach': 'A deploy with {} detaches, and the data stays.',
  'object.list': 'GET /v1/volume/objects answers objects with path, size and updated, sorted by path, in pages.',
  'object.upload': 'POST /v1/volume/upload answers {url, method: PUT, expires_at}, for object and for path.',
  'object.upload-unknown': 'An upload to an unknown volume is 404 and creates none.',
  'object.download': 'POST /v1/volume/download answers {url, method: GET, expires_at}; 404 for an unknown object.',
  'object.delete': 'POST /v1/volume/delete-object takes {volume, path} and is 404 for an unknown object.',
  'object.path':
    'Object paths are relative, without empty, . or .. segments, at most 1024 bytes; a leading / is dropped.',
  'object.signed':
    'A signed URL points at the storage listener and is good for its method, volume, path and time alone.',
  'object.whole': 'A broken upload leaves nothing.',
  'object.get': 'GET has Range, ETag, HEAD, If-None-Match and Content-Length.',
});
