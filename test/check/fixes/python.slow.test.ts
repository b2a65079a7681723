import { checkFixesOf } from './receivers/check-fixes.js';

checkFixesOf('FastAPI');
checkFixesOf('Flask');
