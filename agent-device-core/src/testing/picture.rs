//! A picture of what is on the screen: the rectangles of a scene in shades of grey, as an uncompressed PNG. It is made for
//! looking at in a report and for comparing bytes; texts are not drawn.

use super::{
    app::{Element, Scene},
    capture::SCALE,
};
use crate::{geometry::Rect, role::Role};

const PAPER: u8 = 0xff;
const INK: u8 = 0x30;
const KEYBOARD: u8 = 0x90;

/// A grey picture, one byte for each pixel.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pixels: vec![PAPER; width * height],
        }
    }

    /// Fills a rectangle of the screen, with a border around it.
    fn paint(&mut self, area: Rect, shade: u8, border: u8) {
        // Casts saturate: what lies outside the picture ends at its edge.
        let pixel = |at: f64, end: usize| ((at * SCALE).round() as usize).min(end);
        let (left, right) = (pixel(area.x, self.width), pixel(area.right(), self.width));
        let (top, bottom) = (
            pixel(area.y, self.height),
            pixel(area.bottom(), self.height),
        );
        for y in top..bottom {
            for x in left..right {
                let edge = y == top || y + 1 == bottom || x == left || x + 1 == right;
                self.pixels[y * self.width + x] = if edge { border } else { shade };
            }
        }
    }

    /// Darkens all that is painted so far.
    fn dim(&mut self) {
        for pixel in &mut self.pixels {
            *pixel /= 2;
        }
    }

    fn png(&self) -> Vec<u8> {
        let mut lines = Vec::with_capacity((self.width + 1) * self.height);
        for line in self.pixels.chunks(self.width.max(1)) {
            lines.push(0); // no filter
            lines.extend_from_slice(line);
        }
        let mut header = Vec::new();
        for side in [self.width, self.height] {
            header.extend(u32::try_from(side).unwrap_or(u32::MAX).to_be_bytes());
        }
        header.extend([8, 0, 0, 0, 0]); // 8 bits of grey
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut png, *b"IHDR", &header);
        chunk(&mut png, *b"IDAT", &stored(&lines));
        chunk(&mut png, *b"IEND", &[]);
        png
    }
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], body: &[u8]) {
    png.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes());
    let from = png.len();
    png.extend(kind);
    png.extend_from_slice(body);
    let sum = crc(&png[from..]);
    png.extend(sum.to_be_bytes());
}

/// A zlib stream that stores instead of compressing.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks: Vec<_> = bytes.chunks(usize::from(u16::MAX)).collect();
    for (at, block) in blocks.iter().enumerate() {
        out.push(u8::from(at + 1 == blocks.len()));
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    out.extend((b << 16 | a).to_be_bytes());
    out
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), step)
    })
}

fn shade(element: &Element) -> u8 {
    match element.role {
        Role::Application | Role::Text | Role::Heading => PAPER,
        Role::Image => 0x60,
        Role::TextField | Role::SecureTextField | Role::TextView => 0xf4,
        _ if element.enabled == Some(false) => 0xe4,
        _ if element.checked == Some(true) || element.selected == Some(true) => 0xa8,
        _ if element.act.is_some() => 0xc8,
        _ => 0xec,
    }
}

/// The picture of a scene.
pub(super) fn png(scene: &Scene) -> Vec<u8> {
    let side = |length: f64| (length * SCALE).round() as usize;
    let mut canvas = Canvas::new(side(scene.viewport.width), side(scene.viewport.height));
    let mut order: Vec<_> = scene.elements.iter().collect();
    order.sort_by_key(|element| element.layer);
    for element in order {
        if element.modal {
            canvas.dim();
        }
        if let Some(visible) = element.visible.filter(|_| element.drawn) {
            canvas.paint(visible, shade(element), INK);
        }
    }
    if let Some(keyboard) = scene.keyboard {
        canvas.paint(keyboard, KEYBOARD, INK);
    }
    canvas.png()
}
