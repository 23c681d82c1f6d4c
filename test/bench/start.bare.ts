/** One turn of the bare loop in a new process: what a start costs at the least. */
import { createBareLoop } from "./bare-loop.js";

const [file = "", url = ""] = process.argv.slice(2);
const loop = createBareLoop({
  file,
  url,
  tool: { name: "look_up", parameters: {}, run: (part) => part.padEnd(200, ".") },
});
console.log(await loop.turn("start", "Where is my order?"));
loop.close();
