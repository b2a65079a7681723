import { checkFixesOf } from './receivers/check-fixes.js';

checkFixesOf('Express');
checkFixesOf('Next.js');
checkFixesOf('Fastify');
