import { checkFixesOf } from './receivers/check-fixes.js';

// The server of php reads no chunks, closes each connection, and starts Laravel anew for each request.
checkFixesOf('Laravel', { skip: ['http.chunked', 'http.keep-alive', 'answer.quick'] });
