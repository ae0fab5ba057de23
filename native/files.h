#pragma once
// Files of the program's: whole ones, read and written so that a kill at any moment leaves the old one or the new one.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace webformer {

/// Throws invalid_file, with what the system says.
std::vector<std::byte> read_file(const std::filesystem::path& path);
std::string read_text(const std::filesystem::path& path);

/// Writes beside the file, waits until the disk has it, and gives it its name. `write` calls its argument with the parts in order.
void replace_file(const std::filesystem::path& path,
                  const std::function<void(const std::function<void(std::span<const std::byte>)>& put)>& write);
void replace_file(const std::filesystem::path& path, std::string_view text);
void replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace webformer
