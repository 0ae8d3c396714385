// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";

/// @dev A token that anyone may mint.
contract TestToken is ERC20Burnable {
    constructor() ERC20("Test", "TEST") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @dev Seats, peers' accounts and a clock, as a test sets them.
contract TestSeats {
    uint64 public currentRound = 7;
    uint64 internal firstKnown;

    mapping(uint64 round => bytes32[]) internal _seats;
    mapping(bytes32 peerKey => address) public accountOf;

    function seat(bytes32 peerKey, address account) external {
        _seats[currentRound].push(peerKey);
        accountOf[peerKey] = account;
    }

    function speak(bytes32 peerKey, address account) external {
        accountOf[peerKey] = account;
    }

    /// @dev A round on, with the same seats; those of earlier rounds are forgotten.
    function forget() external {
        ++currentRound;
        _seats[currentRound] = _seats[currentRound - 1];
        firstKnown = currentRound;
    }

    function unseatAll() external {
        delete _seats[currentRound];
    }

    function seatCountAt(uint64 round) external view returns (uint32 seats) {
        require(round >= firstKnown, "forgotten");
        return uint32(_seats[round].length);
    }

    function seatAt(uint64 round, uint32 index) external view returns (bytes32 evaluatorKey) {
        require(round >= firstKnown, "forgotten");
        return _seats[round][index];
    }

    /// @dev As SwarmCoordinator answers it.
    function getEoa(string[] calldata peerIds) external view returns (address[] memory accounts) {
        accounts = new address[](peerIds.length);
        for (uint256 i = 0; i < peerIds.length; ++i) accounts[i] = accountOf[keccak256(bytes(peerIds[i]))];
    }
}
