// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title CommitteeDraw
/// @notice Distinct seats in an order that a seed fixes.
library CommitteeDraw {
    /// @notice Puts a random one of the seats from `position` on at `position`: one step of a Fisher-Yates shuffle.
    /// @param seats The seats; those before `position` are drawn already.
    /// @param position Seats drawn so far.
    /// @param seed Seed of the whole draw.
    /// @return seat The seat drawn.
    function next(bytes32[] memory seats, uint256 position, bytes32 seed) internal pure returns (bytes32 seat) {
        uint256 left = seats.length - position;
        // The bias of a modulus of 256 bits over at most thousands of seats is below 2^-240.
        uint256 pick = position + (uint256(keccak256(abi.encode(seed, position))) % left);
        (seats[position], seats[pick]) = (seats[pick], seats[position]);
        return seats[position];
    }
}
