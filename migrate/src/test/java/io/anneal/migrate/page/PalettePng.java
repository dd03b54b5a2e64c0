package io.anneal.migrate.page;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/**
 * Pictures of pages, small enough to keep with the sources: 256 colours are plenty where most are shades of a few. Each kept
 * colour is the most frequent one of its corner of the colour space; the others become the nearest kept one.
 */
final class PalettePng {
    private static final int COLOURS_MAX = 256;
    private static final int CORNER_MASK = 0xf0f0f0;

    private PalettePng() {}

    static byte[] of(byte[] png) throws IOException {
        BufferedImage picture = ImageIO.read(new ByteArrayInputStream(png));
        Map<Integer, Integer> counts = new HashMap<>();
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                counts.merge(picture.getRGB(x, y) & 0xffffff, 1, Integer::sum);
            }
        }
        int[] palette = palette(counts);
        Map<Integer, Integer> nearest = new HashMap<>();
        BufferedImage small = new BufferedImage(
                picture.getWidth(),
                picture.getHeight(),
                BufferedImage.TYPE_BYTE_INDEXED,
                new IndexColorModel(8, palette.length, palette, 0, false, -1, DataBuffer.TYPE_BYTE));
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                int index = nearest.computeIfAbsent(picture.getRGB(x, y) & 0xffffff, rgb -> nearest(palette, rgb));
                small.getRaster().setSample(x, y, 0, index);
            }
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(small, "png", out);
        return out.toByteArray();
    }

    private static int[] palette(Map<Integer, Integer> counts) {
        Map<Integer, Map.Entry<Integer, Integer>> corners = new HashMap<>();
        counts.entrySet()
                .forEach(entry -> corners.merge(
                        entry.getKey() & CORNER_MASK, entry, (a, b) -> a.getValue() >= b.getValue() ? a : b));
        // The most frequent of all first: backgrounds that share a corner are told apart.
        List<Integer> frequent = byCount(counts.entrySet().stream().toList(), COLOURS_MAX / 4);
        List<Integer> spread = byCount(List.copyOf(corners.values()), COLOURS_MAX);
        return Stream.concat(frequent.stream(), spread.stream())
                .distinct()
                .limit(COLOURS_MAX)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private static List<Integer> byCount(List<Map.Entry<Integer, Integer>> colours, int max) {
        return colours.stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(max)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static int nearest(int[] palette, int rgb) {
        int best = 0;
        int bestDistance = Integer.MAX_VALUE;
        for (int i = 0; i < palette.length; i++) {
            int distance = 0;
            for (int shift = 0; shift <= 16; shift += 8) {
                int difference = (palette[i] >> shift & 0xff) - (rgb >> shift & 0xff);
                distance += difference * difference;
            }
            if (distance < bestDistance) {
                best = i;
                bestDistance = distance;
            }
        }
        return best;
    }
}
