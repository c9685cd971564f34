/** Property tests draw the same examples for every mutant, so that a score can be had again. */
import fc from 'fast-check';

fc.configureGlobal({ seed: 1 });
