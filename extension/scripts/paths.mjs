// Where things lie, for the scripts beside this file.
import { fileURLToPath } from "node:url";
import path from "node:path";

export const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const repository = path.resolve(extension, "..");
export const wheels = path.join(extension, "wheels");
