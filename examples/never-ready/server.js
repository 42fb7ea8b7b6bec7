// Runs, and never listens: nothing but asking it can tell.
console.log('warming up');
const timer = setInterval(() => console.log('still warming up'), 10_000);

process.once('SIGTERM', () => clearInterval(timer));
