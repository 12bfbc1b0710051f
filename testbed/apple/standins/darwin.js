// Makes the reference's host believe that it runs on a Mac. What it then asks of the machine, the stand-ins answer.
Object.defineProperty(process, "platform", { value: "darwin" });
