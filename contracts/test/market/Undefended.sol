// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PredictionMarket} from "../../src/PredictionMarket.sol";
import {IBurnableToken} from "../../src/interfaces/IBurnableToken.sol";
import {IPeerRegistry} from "../../src/interfaces/IPeerRegistry.sol";
import {IRounds} from "../../src/interfaces/IRounds.sol";
import {ISeats} from "../../src/interfaces/ISeats.sol";

/// @dev The market without its cap on later shares. For simulations, which show that the attack then pays.
contract MarketWithoutCap is PredictionMarket {
    constructor(
        IBurnableToken token_,
        ISeats seats_,
        IRounds rounds_,
        IPeerRegistry registry_,
        address face_,
        uint32 minDisputeSec_
    ) PredictionMarket(token_, seats_, rounds_, registry_, face_, minDisputeSec_) {}

    function _rateIn(Batch memory batch) internal pure override returns (uint256 rate) {
        return batch.ceiling;
    }
}

/// @dev The market with betting open until the round's clue is there, so that it can be seen in the queue.
contract MarketOpenToTheLast is PredictionMarket {
    constructor(
        IBurnableToken token_,
        ISeats seats_,
        IRounds rounds_,
        IPeerRegistry registry_,
        address face_,
        uint32 minDisputeSec_
    ) PredictionMarket(token_, seats_, rounds_, registry_, face_, minDisputeSec_) {}

    function _requireBetting(uint256 gameId) internal view override {
        Phase phase = phaseOf(gameId);
        if (phase != Phase.Betting && phase != Phase.AwaitingClue) revert PredictionMarket_WrongPhase(gameId, phase);
    }
}
