import { spawnSync } from './run-sync.js';

const modules = 'import fastapi, uvicorn, flask, gunicorn, cryptography';

/** A Python that has the frameworks of the fixes; that of the system may have them where another comes first. */
export function findPython(): string | undefined {
  return ['python3', '/usr/bin/python3'].find(
    (name) => spawnSync(name, ['-c', modules]).status === 0,
  );
}
